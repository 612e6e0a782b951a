package runtime

import (
	"context"
	"runtime"
	"sync/atomic"
)

// A Mutex is a mutual exclusion lock for threads and goroutines, with the contract
// of sync.Mutex: the zero value is unlocked, it must not be copied after first use, it
// may be unlocked by another than who has locked it, and an Unlock happens before each
// Lock that comes after it.
//
// Lock and Unlock of a mutex for which nobody waits are one compare-and-swap each.
// A thread that has to wait is switched out, a goroutine sleeps. Whoever comes when
// the mutex is free takes it, also past those who wait, which is what makes it fast
// under load: no switch lies between one holder and the next. A waiter that was woken
// in vain goes back to the head of the queue, and after a few times (4) the mutex is
// handed to it, so nobody starves.
type Mutex struct {
	_     noCopy
	state atomic.Uint32
	guard spin // of queue
	queue queue
}

// The state of a Mutex is made of bits:
//
//	locked   somebody holds it
//	waiting  the queue is not empty; changed under the guard only
//	woken    one that has left the queue will look again soon: Unlock need not
//	         wake another. Set by Unlock, cleared by the one that was woken when
//	         it takes the mutex, or goes back into the queue
//
// Unlock, if somebody waits and nobody is on the way:
//
//	locked|waiting ──► woken[|waiting]   and the first one looks again
//	locked|waiting ──► locked[|waiting]  and the first one, who has lost often, has it
const (
	mutexLocked uint32 = 1 << iota
	mutexWaiting
	mutexWoken
)

const (
	mutexFair   = 4  // times that a waiter is woken in vain
	mutexHanded = -1 // in entry.want: the mutex is yours
)

// Lock locks m; it waits until that is possible.
func (m *Mutex) Lock() {
	point()
	if !m.state.CompareAndSwap(0, mutexLocked) {
		_ = m.lockSlow(never, WaitMutex)
	}
}

// LockContext is Lock until ctx ends: then the error is its cause, and m is not
// locked by the caller. A mutex that is free is locked all the same.
func (m *Mutex) LockContext(ctx context.Context) error {
	point()
	if m.state.CompareAndSwap(0, mutexLocked) {
		return nil
	}
	return m.lockSlow(ctx, WaitMutex)
}

// TryLock locks m if it is free, and reports whether it has done so.
func (m *Mutex) TryLock() bool {
	point()
	return m.state.CompareAndSwap(0, mutexLocked) || m.enter(0)
}

// Unlock unlocks m; it never waits. It panics if m is not locked.
func (m *Mutex) Unlock() {
	point()
	if !m.state.CompareAndSwap(mutexLocked, 0) {
		m.unlockSlow()
	}
}

// enter locks m if it is free, also past those who wait. The bits of clear are
// cleared by that.
func (m *Mutex) enter(clear uint32) bool {
	for {
		old := m.state.Load()
		if old&mutexLocked != 0 {
			return false
		}
		if m.state.CompareAndSwap(old, (old|mutexLocked)&^clear) {
			return true
		}
	}
}

// queueUp locks m, or notes that the caller, who holds the guard, is about to wait.
func (m *Mutex) queueUp(clear uint32) (locked bool) {
	for {
		if m.enter(clear) {
			return true
		}
		old := m.state.Load()
		if old&mutexLocked != 0 && m.state.CompareAndSwap(old, (old|mutexWaiting)&^clear) {
			return false
		}
	}
}

//go:noinline
func (m *Mutex) lockSlow(ctx context.Context, why Reason) error {
	if m.look() {
		return nil
	}
	w := enlist()
	defer w.discharge()
	e := &w.entry
	woken := uint32(0)
	for losses := int64(0); ; losses++ {
		point()
		if woken != 0 && m.enter(woken) {
			return nil
		}
		m.guard.lock()
		if m.queueUp(woken) {
			m.guard.unlock()
			return nil
		}
		e.want = losses
		if losses == 0 {
			m.queue.push(e)
		} else {
			m.queue.pushFront(e)
		}
		if !w.await(e, &m.guard, ctx, why) {
			if m.queue.empty() {
				m.state.And(^mutexWaiting)
			}
			m.guard.unlock()
			return context.Cause(ctx)
		}
		if e.want == mutexHanded {
			return nil
		}
		woken = mutexWoken
	}
}

func (m *Mutex) unlockSlow() {
	point()
	for {
		old := m.state.Load()
		switch {
		case old&mutexLocked == 0:
			panic("greenthread: unlock of unlocked Mutex")
		case old&mutexWaiting == 0 || old&mutexWoken != 0:
			if m.state.CompareAndSwap(old, old&^mutexLocked) {
				return
			}
		default:
			m.guard.lock()
			if m.state.Load() != mutexLocked|mutexWaiting {
				m.guard.unlock()
				continue
			}
			// Nobody else moves the state now: it is locked, and all that can be
			// done to a locked mutex is done by its holder, or under the guard.
			e := m.queue.pop()
			state := uint32(0)
			if !m.queue.empty() {
				state |= mutexWaiting
			}
			if e != nil && e.want >= mutexFair {
				e.want = mutexHanded
				state |= mutexLocked
			} else if e != nil {
				state |= mutexWoken
			}
			m.state.Store(state)
			m.guard.unlock()
			if e != nil {
				e.waiter.wake()
			}
			return
		}
	}
}

// look looks for a moment whether m becomes free, and locks it then: a holder on another
// CPU is mostly done before one that goes to sleep could be woken. A thread that is alone
// on its runtime's carrier has better things to do.
func (m *Mutex) look() bool {
	looks := mutexLooks
	if t := caller(); !manyCPUs || t != nil && t.rt.carriers == 1 {
		looks = 1
	}
	for x := uint32(3); looks > 0; looks-- {
		if m.enter(0) {
			return true
		}
		x = pause(x)
	}
	return false
}

// mutexLooks, with the pauses between, take about 0.3 us; a wake takes longer.
const mutexLooks = 20

var manyCPUs = runtime.NumCPU() > 1

// pause passes some 10 ns without a look at memory that others want to write.
//
//go:noinline
func pause(x uint32) uint32 {
	for range 16 {
		x *= x
	}
	return x
}
