package futex

import (
	"context"
	"sync/atomic"
)

// SharedMutex is a Mutex for several processes that map the memory it lies in, in 40 bytes at a multiple of 8. Memory that is all
// zero, such as a new file's, holds an unlocked SharedMutex.
//
// Its owner is a process; any goroutine of that may unlock it. If the process ends while it owns the lock, by SIGKILL
// too, the next one who locks it gets the lock together with ErrOwnerDied: then it repairs what the lock guards and
// calls MarkConsistent, or it unlocks without, and from then on everyone gets ErrNotRecoverable. Nobody else's lock call returns
// an error, save for the limits that were asked for, unless the memory is bad or this is not Linux.
//
// The lock has to stay mapped, and where it is, as long as this process holds it: the kernel keeps its address.
type SharedMutex struct {
	_     noCopy
	word  uint32 // the owner's custodian, OwnerDied, Waiters: as the kernel knows it
	state uint32
	link  robustLink // the owner's: see custodian
	space uint32     // the PID namespace of all who ever wanted the lock, 0 before the first, manySpaces if they differ
	spins uint32

	shutUntil uint32 // see isShut
	_         uint32
}

// robustLink is struct robust_list, and a way back: 0 in the first link. It makes the lock part of the list of all those
// that its owner holds.
type robustLink struct{ next, prev uint64 }

// manySpaces says that a thread id in the word may mean different threads to different processes.
const manySpaces = 1<<32 - 1

// The states, which only the owner changes.
const (
	consistent   uint32 = iota
	inconsistent        // an owner died, and the present one knows
	givenUp             // for ever
)

// The word, and who moves it; each move is one compare-and-swap.
//
//	owner 0  -> own id       who locks; it keeps Waiters, and sets it if it has slept. Takes OwnerDied away: then inconsistent
//	own id   -> owner 0      who unlocks; it keeps Waiters, and takes that away only if it finds nobody to wake
//	any      -> +Waiters     who is about to sleep
//	dead id  -> OwnerDied    the kernel, or a waiter that found no such thread
//
// A process that is killed after it was woken, and before it got the lock, takes a wake-up along. Whoever sleeps looks
// again every lookAgain, so others wait for that no longer than that.

// Lock waits until the lock is free and takes it. It holds the lock if the error is nil or ErrOwnerDied.
func (m *SharedMutex) Lock() error {
	l := forever
	return m.lock(&l, false)
}

// TryLock takes the lock if it is free. The error can be ErrOwnerDied, with the lock taken, or ErrNotRecoverable.
func (m *SharedMutex) TryLock() (locked bool, err error) { return m.try(false) }

// LockUntil is Lock up to a deadline: then it returns ErrTimeout.
func (m *SharedMutex) LockUntil(deadline Deadline) error {
	l := until(deadline)
	return m.lock(&l, false)
}

// LockContext is Lock until ctx is done: then it returns ctx.Err().
func (m *SharedMutex) LockContext(ctx context.Context) error {
	l := during(ctx)
	defer l.release()
	return m.lock(&l, false)
}

// MarkConsistent declares what the lock guards repaired. The caller holds the lock, and got ErrOwnerDied with it.
func (m *SharedMutex) MarkConsistent() {
	atomic.CompareAndSwapUint32(&m.state, inconsistent, consistent)
}

// lock is for all who are ready to wait. The caller has slept if it comes from a SharedCond.
func (m *SharedMutex) lock(l *limit, slept bool) error {
	if got, err := m.try(slept); got || err != nil {
		return err
	}
	if err := l.over(); err != nil && !slept {
		return err
	}
	if !slept && m.spin() {
		if got, err := m.try(false); got || err != nil {
			return err
		}
	}
	var since Deadline // when it began to wait
	for {
		word := atomic.LoadUint32(&m.word)
		if word&TIDMask == 0 && (slept || !m.isShut()) {
			got, err := m.try(slept)
			if got && slept && !passedOver(since) {
				m.open()
			}
			if got || err != nil {
				return err
			}
			continue
		}
		if word&Waiters == 0 {
			if !atomic.CompareAndSwapUint32(&m.word, word, word|Waiters) {
				continue
			}
			word |= Waiters
		}
		if slept && word&TIDMask != 0 {
			m.lookForOwner(word)
			if passedOver(since) {
				m.shut()
			}
		}
		if since == 0 {
			since = Now()
		}
		if err := l.sleep(&m.word, word, Shared); err != nil {
			m.open()
			return both(err, m.joined())
		}
		slept = true
	}
}

// joined is for who leaves after it has slept, and may have been woken for the lock; and for who has moved the sleepers of a SharedCond
// over: either the owner has to know that somebody sleeps, or somebody must be woken.
func (m *SharedMutex) joined() error {
	for {
		word := atomic.LoadUint32(&m.word)
		if word&TIDMask == 0 {
			_, err := rouse(&m.word, 1, Shared)
			return err
		}
		if word&Waiters != 0 || atomic.CompareAndSwapUint32(&m.word, word, word|Waiters) {
			return nil
		}
	}
}

// Unlock frees the lock, and wakes one who sleeps for it. It returns ErrNotOwner if this process does not hold the lock.
func (m *SharedMutex) Unlock() error {
	wake, err := m.release()
	if err != nil || wake == 0 {
		return err
	}
	if n, err := rouse(&m.word, wake, Shared); n > 0 || err != nil {
		return err
	}
	// Nobody sleeps: say so, and keep nobody out. One who fell asleep meanwhile is found by the second wake, and who is only about to, by the
	// kernel's comparison.
	m.open()
	if atomic.CompareAndSwapUint32(&m.word, Waiters, 0) {
		_, err = rouse(&m.word, 1, Shared)
	}
	return err
}

// spin reports whether the lock became free while it looked.
func (m *SharedMutex) spin() bool {
	if before.Load() != look {
		return false
	}
	usual := atomic.LoadUint32(&m.spins)
	limit := min(2*usual+8, mostSpins)
	x := uint32(3)
	for n := range limit {
		if atomic.LoadUint32(&m.word)&TIDMask == 0 {
			atomic.StoreUint32(&m.spins, usual-usual/8+n/8)
			return true
		}
		x = pause(x)
	}
	atomic.StoreUint32(&m.spins, usual-usual/8)
	return false
}
