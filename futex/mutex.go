package futex

import (
	"context"
	"sync/atomic"
	"time"
)

// Mutex is a lock for the threads of one process, in eight bytes of any memory, mapped or the heap's. The zero Mutex is
// unlocked. It must not be copied after first use.
//
// Against sync.Mutex: who waits here waits in the kernel, with its thread; one can give up waiting (LockUntil,
// LockContext); and a Cond can hand its waiters over to it. As there, any goroutine may unlock it.
//
// Nobody starves: whoever has been passed over for a millisecond closes the door for newcomers, and the kernel wakes
// sleepers in the order in which they came, until one has waited for less. (A woken goroutine still has to find a CPU
// and a P.)
type Mutex struct {
	_     noCopy
	word  uint32
	spins uint32 // how many looks were enough lately
}

// The bits of a Mutex's word. L is who locks, U who unlocks.
//
//	held      set by L, cleared by U
//	sleepers  somebody may sleep. Set by L before it sleeps, and when it gets the lock after having slept, since others
//	          may sleep still; cleared by U when it found nobody to wake
//	waking    somebody is on its way out of its sleep, so U need not wake another. Set by U, cleared by the woken one
//	hungry    only those who have slept may take the lock. Set by L when it has been passed over for too long. Cleared by the
//	          first who takes it after a shorter wait, by U when it found nobody to wake, or by a sleeper that leaves
//
// Whoever sleeps does so on a word with sleepers and held (or hungry) in it, and U changes that before it wakes. So a
// wake that comes too early finds the kernel's comparison failing, and no wake-up is lost. Clearing waking or hungry
// is always safe, and whoever leaves does it: someone may have counted on it. If it leaves a free lock behind, it wakes
// another in its place.
const (
	held uint32 = 1 << iota
	sleepers
	waking
	hungry
)

// patience is how long a sleeper is passed over before it gets hungry.
const patience = Deadline(time.Millisecond)

// Lock waits until the lock is free and takes it. Where it is free, that is one compare-and-swap.
func (m *Mutex) Lock() {
	if !atomic.CompareAndSwapUint32(&m.word, 0, held) {
		l := forever
		must(m.lock(&l))
	}
}

// TryLock takes the lock if it is free and nobody has waited for it too long.
func (m *Mutex) TryLock() bool {
	for {
		old := atomic.LoadUint32(&m.word)
		if old&(held|hungry) != 0 {
			return false
		}
		if atomic.CompareAndSwapUint32(&m.word, old, old|held) {
			return true
		}
	}
}

// LockUntil is Lock up to a deadline: then it returns ErrTimeout, and does not hold the lock. If the lock is free, it takes
// it, also when the deadline has passed.
func (m *Mutex) LockUntil(deadline Deadline) error {
	if atomic.CompareAndSwapUint32(&m.word, 0, held) {
		return nil
	}
	l := until(deadline)
	return m.lock(&l)
}

// LockContext is Lock until ctx is done: then it returns ctx.Err(), and does not hold the lock. If the lock is free, it
// takes it, also when ctx is done.
func (m *Mutex) LockContext(ctx context.Context) error {
	if atomic.CompareAndSwapUint32(&m.word, 0, held) {
		return nil
	}
	l := during(ctx)
	defer l.release()
	return m.lock(&l)
}

// lock is for who has found the lock taken.
func (m *Mutex) lock(l *limit) error {
	if m.spin() || m.TryLock() {
		return nil
	}
	if err := l.over(); err != nil {
		return err
	}
	return m.queue(l, false)
}

// queue sleeps until it gets the lock. The caller has slept if it comes from a Cond: others may have been moved along
// with it.
func (m *Mutex) queue(l *limit, slept bool) error {
	var since Deadline // when it began to wait
	for {
		old := atomic.LoadUint32(&m.word)
		if old&held == 0 && (slept || old&hungry == 0) {
			now := old | held
			if slept {
				now = (now | sleepers) &^ waking
				if old&hungry != 0 && !passedOver(since) {
					now &^= hungry
				}
			}
			if atomic.CompareAndSwapUint32(&m.word, old, now) {
				return nil
			}
			continue
		}
		now := old | sleepers
		if slept {
			now &^= waking
			if old&(held|hungry) == held && passedOver(since) {
				now |= hungry
			}
		}
		if now != old && !atomic.CompareAndSwapUint32(&m.word, old, now) {
			continue
		}
		if since == 0 {
			since = Now()
		}
		if err := l.sleep(&m.word, now, Private); err != nil {
			m.leave()
			return err
		}
		slept = true
	}
}

// passedOver reports whether one who has waited since then has done so for too long.
func passedOver(since Deadline) bool { return since != 0 && Now()-since > patience }

// leave is for who has slept, and goes without the lock.
func (m *Mutex) leave() {
	for {
		old := atomic.LoadUint32(&m.word)
		now := old &^ (waking | hungry)
		if atomic.CompareAndSwapUint32(&m.word, old, now) {
			if now&(held|sleepers) == sleepers {
				m.rouse()
			}
			return
		}
	}
}

// Unlock frees the lock, and wakes one who sleeps for it, if need be: only then does it make a system call. It panics if
// nobody holds the lock.
func (m *Mutex) Unlock() {
	if !atomic.CompareAndSwapUint32(&m.word, held, 0) {
		m.unlock()
	}
}

func (m *Mutex) unlock() {
	for {
		old := atomic.LoadUint32(&m.word)
		if old&held == 0 {
			panic("futex: unlock of an unlocked Mutex")
		}
		now := old &^ held
		wake := old&(sleepers|waking) == sleepers
		if wake {
			now |= waking
		}
		if atomic.CompareAndSwapUint32(&m.word, old, now) {
			if wake {
				m.rouse()
			}
			return
		}
	}
}

// rouse wakes one sleeper. If there is none, it takes the bits back that say so; one who fell asleep meanwhile is found by
// the second wake, and who is only about to, by the kernel's comparison.
func (m *Mutex) rouse() {
	if m.wakeOne() {
		return
	}
	left := atomic.AndUint32(&m.word, ^waking) &^ waking
	if left&(held|sleepers) == sleepers && atomic.CompareAndSwapUint32(&m.word, left, left&^(sleepers|hungry)) {
		m.wakeOne()
	}
}

func (m *Mutex) wakeOne() bool {
	n, err := rouse(&m.word, 1, Private)
	must(err)
	return n > 0
}

// joined is called when sleepers of a Cond have been moved over: whoever holds the lock has to know.
func (m *Mutex) joined() {
	for {
		old := atomic.LoadUint32(&m.word)
		if old&held == 0 {
			m.wakeOne()
			return
		}
		if atomic.CompareAndSwapUint32(&m.word, old, old|sleepers) {
			return
		}
	}
}
