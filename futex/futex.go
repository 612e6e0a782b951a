package futex

import "math"

// WakeAll as the number of waiters to wake means all of them.
const WakeAll = math.MaxInt32

// Wait blocks the calling kernel thread while *addr is val: the kernel compares them and falls asleep in one step, so
// a Wake that follows a change of the word is never missed.
//
// It returns nil after a Wake, at once when the word is something else to begin with, and, rarely, for no reason at
// all. All three mean the same to a caller: look at the word again. So Wait stands in a loop around an atomic load:
//
//	for atomic.LoadUint32(&word) == busy {
//		if err := futex.Wait(&word, busy, futex.Private); err != nil {
//			return err
//		}
//	}
//
// Signals do not end it. It goes through a system call that the Go scheduler knows of, which may give the P to other
// goroutines meanwhile. An error tells of a bad address or of a system without futexes.
func Wait(addr *uint32, val uint32, scope Scope) error {
	return WaitUntil(addr, val, Never, scope)
}

// WaitUntil is Wait with an absolute deadline, after which it returns ErrTimeout. It never does so earlier, however
// many signals arrive, and they do not put it off either. It may be late by the kernel thread's timer slack, 50 us unless
// changed, and by the time it takes to run again.
//
// The comparison comes first: when the word is not val, WaitUntil returns nil though the deadline may have passed.
// ErrTimeout does not rule out that the word has changed in the last moment, and never eats a Wake.
func WaitUntil(addr *uint32, val uint32, deadline Deadline, scope Scope) error {
	if err := checkAddress("wait", addr); err != nil {
		return err
	}
	return kernelWait(onHeap(addr), val, matchAny, deadline.instant(), scope)
}

// Wake wakes up to n of the threads that wait on addr, and returns how many that were. With n of 0
// or less it wakes nobody; WakeAll is enough for everyone.
//
// Change the word first, by an atomic operation, and then call Wake: a Wake that leaves the word as it was may come
// just before a waiter falls asleep, and is lost on it.
//
// It is a raw system call, short and unknown to the Go scheduler: where nobody waits, it costs little more than entering
// the kernel; where somebody sleeps on an idle CPU, what it takes to interrupt that CPU.
func Wake(addr *uint32, n int, scope Scope) (woken int, err error) {
	if err := checkAddress("wake", addr); err != nil {
		return 0, err
	}
	if n <= 0 { // the kernel would wake one
		return 0, nil
	}
	return kernelWake(onHeap(addr), min(n, WakeAll), scope)
}
