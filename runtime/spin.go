package runtime

import (
	"runtime"
	"sync/atomic"
	"time"

	"greenthread/internal/nap"
)

// A spin is a lock for a few instructions: of a queue of waiters, of a heap of
// timers. Its zero value is unlocked. Taking it costs one compare-and-swap, giving
// it back a store.
//
// The holder may be preempted by Go, or its kernel thread by the kernel, so
// nobody only spins for it: after a glance, others are let run, and after some of
// those the kernel thread sleeps, by the real clock (that of a bubble may stand still until
// the lock is taken). A thread that is switched out may leave a spin
// locked: what is switched to gives it back (see carrier.settle), so that nobody
// finds the thread in a queue before it can be resumed.
type spin struct{ word uint32 }

const (
	spinLooks  = 32 // looks at the word before others are let run
	spinYields = 64 // of these, before the kernel thread sleeps
)

func (l *spin) lock() {
	if !atomic.CompareAndSwapUint32(&l.word, 0, 1) {
		l.lockSlow()
	}
}

func (l *spin) tryLock() bool { return atomic.CompareAndSwapUint32(&l.word, 0, 1) }

func (l *spin) unlock() { publish(&l.word, 0) }

//go:noinline
func (l *spin) lockSlow() {
	for round := 0; ; round++ {
		for range spinLooks {
			if atomic.LoadUint32(&l.word) == 0 && l.tryLock() {
				return
			}
		}
		if round < spinYields {
			runtime.Gosched()
		} else {
			nap.For(20 * time.Microsecond)
		}
	}
}
