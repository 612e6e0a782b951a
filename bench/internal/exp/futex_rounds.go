package exp

import (
	"errors"
	"runtime"
	"time"

	"greenthread/futex"
)

// futexTest is a lock with two conditions, in one scope or the other.
type futexTest struct {
	lock, unlock func() error
	conditions   [2]futexCondition

	// run runs play(0) to play(n-1), each on a thread of its own, and waits for their ends.
	run func(n int, play func(i int) error) error
}

type futexCondition struct {
	wait, signal, broadcast func() error
}

func newFutexTest(kind string) (t futexTest, err error) {
	if kind == "shared" {
		return newSharedFutexTest()
	}
	if kind == "fallback" && futex.FeaturePrivate.Available() {
		return t, errors.New("private futexes are not refused")
	}
	if kind == "green" {
		return newGreenFutexTest()
	}
	t.run = onKernelThreads
	m := new(futex.Mutex)
	t.lock = func() error { m.Lock(); return nil }
	t.unlock = func() error { m.Unlock(); return nil }
	for i := range t.conditions {
		c := new(futex.Cond)
		t.conditions[i] = futexCondition{
			wait:      func() error { c.Wait(m); return nil },
			signal:    func() error { c.Signal(); return nil },
			broadcast: func() error { c.Broadcast(m); return nil },
		}
	}
	return t, nil
}

func newSharedFutexTest() (t futexTest, err error) {
	m, conds, err := sharedMemory()
	if err != nil {
		return t, err
	}
	t.run = onKernelThreads
	t.lock, t.unlock = m.Lock, m.Unlock
	for i := range t.conditions {
		c := &conds[i]
		t.conditions[i] = futexCondition{
			wait:      func() error { return c.Wait(m) },
			signal:    c.Signal,
			broadcast: func() error { return c.Broadcast(m) },
		}
	}
	return t, nil
}

// under does something with the lock held.
func (t *futexTest) under(do func() error) error {
	return errors.Join(t.lock(), do(), t.unlock())
}

// rounds has two threads wake each other n times each, and returns how long that took.
func (t *futexTest) rounds(n int) (time.Duration, error) {
	turn := 0 // whose it is
	play := func(me int) error {
		for range n {
			if err := t.under(func() error {
				for turn != me {
					if err := t.conditions[me].wait(); err != nil {
						return err
					}
				}
				turn = 1 - me
				return t.conditions[turn].signal()
			}); err != nil {
				return err
			}
		}
		return nil
	}
	start := time.Now()
	err := t.run(2, play)
	return time.Since(start), err
}

// The published test.
const (
	futexWaiters    = 5
	futexBroadcasts = 100_000
)

// broadcast wakes five threads n times at once, each time after all have waited, and returns how many seconds
// futexBroadcasts of these would take.
func (t *futexTest) broadcast(n int) (float64, error) {
	generation, left := 0, 0
	herd, done := &t.conditions[0], &t.conditions[1]
	play := func(me int) error {
		for i := range n {
			if err := t.under(func() error {
				if me == futexWaiters { // the one who wakes
					generation, left = generation+1, futexWaiters
					if err := herd.broadcast(); err != nil {
						return err
					}
					for left > 0 {
						if err := done.wait(); err != nil {
							return err
						}
					}
					return nil
				}
				for generation <= i {
					if err := herd.wait(); err != nil {
						return err
					}
				}
				if left--; left == 0 {
					return done.signal()
				}
				return nil
			}); err != nil {
				return err
			}
		}
		return nil
	}
	start := time.Now()
	err := t.run(futexWaiters+1, play)
	return time.Since(start).Seconds() * futexBroadcasts / float64(n), err
}

// onKernelThreads is run for kernel threads.
func onKernelThreads(n int, play func(i int) error) error {
	errs := make(chan error, n)
	for i := range n {
		go func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			errs <- play(i)
		}()
	}
	var all error
	for range n {
		all = errors.Join(all, <-errs)
	}
	return all
}
