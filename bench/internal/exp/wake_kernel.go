package exp

import (
	"sync/atomic"

	"greenthread/futex"
)

// wakeParker has two kernel threads wake each other by Parkers.
func wakeParker() (rally, error) {
	var sides [2]struct {
		futex.Parker
		_ [64]byte // no line of the cache is shared
	}
	return rallyOf(onKernelThread,
		func(side int) error { sides[side].Unpark(); return nil },
		func(side int) error { sides[side].Park(); return nil }), nil
}

// wakeFutex is what futex/c does, in Go: a word for each side, 1 when it is its turn.
func wakeFutex() (rally, error) {
	sides := new([2]struct {
		word uint32
		_    [60]byte
	})
	if _, err := futex.Wake(&sides[0].word, 1, futex.Private); err != nil {
		return rally{}, unavailable(err)
	}
	return rallyOf(onKernelThread,
		func(side int) error {
			atomic.StoreUint32(&sides[side].word, 1)
			_, err := futex.Wake(&sides[side].word, 1, futex.Private)
			return err
		},
		func(side int) error {
			for atomic.SwapUint32(&sides[side].word, 0) == 0 {
				if err := futex.Wait(&sides[side].word, 0, futex.Private); err != nil {
					return err
				}
			}
			return nil
		}), nil
}

// wakeChannel has two goroutines hand a token to and fro by channels without a buffer.
func wakeChannel() (rally, error) { return wakeByChannel(onGoroutine), nil }

// wakeChannelLocked is the same with each locked to its kernel thread, so that this
// has to be woken.
func wakeChannelLocked() (rally, error) { return wakeByChannel(onKernelThread), nil }

func wakeByChannel(start func(int) func(func()) (func() error, error)) rally {
	sides := [2]chan struct{}{make(chan struct{}), make(chan struct{})}
	return rallyOf(start,
		func(side int) error { sides[side] <- struct{}{}; return nil },
		func(side int) error { <-sides[side]; return nil })
}
