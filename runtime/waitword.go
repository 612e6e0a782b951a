package runtime

import "sync/atomic"

// A waitWord is where a thread and those who wake it meet: one word, so that
// exactly one of several wakers wins, and no wake is lost.
//
//	phase:    active ──prepare──► parking ──commit──► parked ──wake──► active
//	                                 │                                   ▲
//	                                 └── commit finds a wake pending ────┘
//
// A thread prepares, switches away, and is committed by what runs next on its
// carrier: before that nobody may resume it. A wake that comes earlier is kept
// as pending: the token of Unpark until the next Park, a timer's only for the
// wait that it belongs to, which the sequence number tells.
//
//	bits 0-1 phase, 2-3 sources that end this wait, 4-5 sources pending, 8-63 number of the wait
type waitWord struct{ word atomic.Uint64 }

const (
	phaseActive  uint64 = 0
	phaseParking uint64 = 1
	phaseParked  uint64 = 2
	phaseDead    uint64 = 3
	phaseMask    uint64 = 3

	// Sources of a wake.
	byToken uint64 = 1
	byTimer uint64 = 2

	acceptShift  = 2
	pendingShift = 4
	sourceMask   = 3
	seqShift     = 8
)

// prepare begins a wait for one of the sources. It returns what is pending of
// them, consumed, in which case there is nothing to wait for; and otherwise the
// number of the wait, for its timer.
func (w *waitWord) prepare(accept uint64) (pending, seq uint64) {
	for {
		old := w.word.Load()
		token := old & (byToken << pendingShift) // a pending timer is of an earlier wait
		seq = old>>seqShift + 1
		next := seq<<seqShift | token | accept<<acceptShift | phaseParking
		if pending = token >> pendingShift & accept; pending != 0 {
			next = seq << seqShift
		}
		if w.word.CompareAndSwap(old, next) {
			return pending, seq
		}
	}
}

// commit ends the preparation, after the thread was switched out. It returns the
// source of a wake that has come meanwhile: the thread is active again then.
func (w *waitWord) commit() (source uint64) {
	for {
		old := w.word.Load()
		next := old&^phaseMask | phaseParked
		if source = firstOf(old >> pendingShift & (old >> acceptShift) & sourceMask); source != 0 {
			next = old&^(phaseMask|sourceMask<<acceptShift|source<<pendingShift) | phaseActive
		}
		if w.word.CompareAndSwap(old, next) {
			return source
		}
	}
}

// wake reports whether the caller must make the thread ready: it was parked and
// the source is one that ends its wait. Otherwise the wake is kept, or comes too
// late. seq is the number of the wait for byTimer, and not used for byToken.
func (w *waitWord) wake(source, seq uint64) bool {
	for {
		old := w.word.Load()
		if source == byTimer && old>>seqShift != seq || old&phaseMask == phaseDead {
			return false
		}
		ready := old&phaseMask == phaseParked && old>>acceptShift&source != 0
		next := old | source<<pendingShift
		if ready {
			next = old&^(phaseMask|sourceMask<<acceptShift) | phaseActive
		}
		if next == old {
			return false
		}
		if w.word.CompareAndSwap(old, next) {
			return ready
		}
	}
}

// end makes every later wake a no-op.
func (w *waitWord) end() { w.word.Store(phaseDead) }

// firstOf returns the token if it is among the sources, else what there is.
func firstOf(sources uint64) uint64 {
	if sources&byToken != 0 {
		return byToken
	}
	return sources
}
