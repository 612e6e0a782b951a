package exp

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"time"

	"greenthread/bench/internal/measure"
	"greenthread/futex"
)

// A wakeKernel is a game of two goroutines that are locked to their kernel threads, or
// not: ping is one round of the one that takes the time, pong one of the other.
type wakeKernel struct {
	locked     bool
	ping, pong func() error
}

func (w wakeKernel) Sample(_ context.Context, clock measure.Clock, n int) (r measure.Reading, err error) {
	run := func(play func() error, into chan<- error) {
		if w.locked {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
		}
		into <- play()
	}
	errs := make(chan error, 2)
	go run(func() error {
		for range n + 1 {
			if err := w.pong(); err != nil {
				return err
			}
		}
		return nil
	}, errs)
	var elapsed time.Duration
	go run(func() error {
		var err error
		elapsed = timed(clock, n, func() { err = errors.Join(err, w.ping()) })
		return err
	}, errs)
	err = errors.Join(<-errs, <-errs)
	return measure.Reading{Ops: n, Elapsed: elapsed}, err
}

// Close has nothing to release.
func (wakeKernel) Close() error { return nil }

// wakeParker has two kernel threads wake each other by Parkers.
func wakeParker(context.Context) (measure.Sampler, error) {
	var ping, pong futex.Parker
	return wakeKernel{
		locked: true,
		ping:   func() error { pong.Unpark(); ping.Park(); return nil },
		pong:   func() error { pong.Park(); ping.Unpark(); return nil },
	}, nil
}

// wakeFutex has two kernel threads wake each other by the bare operations on one
// word, and sleep each time.
func wakeFutex(context.Context) (measure.Sampler, error) {
	word := new(uint32) // whose turn it is
	if _, err := futex.Wake(word, 1, futex.Private); err != nil {
		return nil, unavailable(err)
	}
	hand := func(to uint32) error {
		atomic.StoreUint32(word, to)
		_, err := futex.Wake(word, 1, futex.Private)
		return err
	}
	await := func(me uint32) error {
		for atomic.LoadUint32(word) != me {
			if err := futex.Wait(word, 1-me, futex.Private); err != nil {
				return err
			}
		}
		return nil
	}
	return wakeKernel{
		locked: true,
		ping:   func() error { return errors.Join(hand(1), await(0)) },
		pong:   func() error { return errors.Join(await(1), hand(0)) },
	}, nil
}

// wakeChannel has two goroutines hand a token to and fro by channels without a buffer,
// on as many Ps as there are.
func wakeChannel(context.Context) (measure.Sampler, error) { return wakeByChannel(false), nil }

// wakeChannelLocked is the same with each locked to its kernel thread, so that both
// have to be woken.
func wakeChannelLocked(context.Context) (measure.Sampler, error) { return wakeByChannel(true), nil }

func wakeByChannel(locked bool) measure.Sampler {
	there, back := make(chan struct{}), make(chan struct{})
	return wakeKernel{
		locked: locked,
		ping:   func() error { there <- struct{}{}; <-back; return nil },
		pong:   func() error { <-there; back <- struct{}{}; return nil },
	}
}
