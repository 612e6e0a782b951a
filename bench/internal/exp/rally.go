package exp

import (
	"context"
	"errors"
	"runtime"
	"time"

	"greenthread/bench/internal/measure"
	"greenthread/bench/internal/pin"
)

// singles is how many round trips of a sample, at most, are timed by themselves as
// well, after the others: peers have the same number.
const singles = 1000

// A rally is a sampler of round trips between two sides that wake each other. Each
// side has a thread for each sample.
type rally struct {
	// start runs side 0 or 1 on a thread of its kind; play returns when it has ended.
	start [2]func(play func()) (wait func() error, err error)

	// serve does so many round trips, as side 0, and time measures each of so many;
	// reply answers so many, as side 1. The loops are theirs, so that nothing is called
	// but what a program would call.
	serve func(n int) error
	time  func(clock measure.Clock, each []time.Duration) error
	reply func(n int) error

	end func() error // may be nil
}

// Sample does n round trips. Before the first, both sides are brought together.
func (r rally) Sample(_ context.Context, clock measure.Clock, n int) (measure.Reading, error) {
	each := make([]time.Duration, min(n, singles))
	reading := measure.Reading{Ops: n}
	var served, replied error
	waitReply, err := r.start[1](func() { replied = r.reply(1 + n + len(each)) })
	if err != nil {
		return reading, err
	}
	waitServe, err := r.start[0](func() {
		if served = r.serve(1); served != nil {
			return
		}
		count := measure.CountUsage()
		start := clock.Now()
		served = r.serve(n)
		reading.Elapsed = clock.Since(start)
		reading.Usage = count()
		served = errors.Join(served, r.time(clock, each))
	})
	if err != nil {
		return reading, err // the other side waits for ever; its process ends
	}
	if err := errors.Join(waitServe(), served); err != nil {
		return reading, err
	}
	err = errors.Join(waitReply(), replied)
	reading.Latencies = measure.Latencies(each)
	return reading, err
}

// Close ends what the sides run on.
func (r rally) Close() error {
	if r.end == nil {
		return nil
	}
	return r.end()
}

// rallyOf is a rally of two sides that are not so fast that a call would show: hand
// wakes a side, and await waits for that.
func rallyOf(start func(side int) func(play func()) (func() error, error), hand, await func(side int) error) rally {
	serveOne := func() error { return errors.Join(hand(1), await(0)) }
	return rally{
		start: [2]func(func()) (func() error, error){start(0), start(1)},
		serve: func(n int) error {
			for range n {
				if err := serveOne(); err != nil {
					return err
				}
			}
			return nil
		},
		time: func(clock measure.Clock, each []time.Duration) error {
			for i := range each {
				start := clock.Now()
				if err := serveOne(); err != nil {
					return err
				}
				each[i] = clock.Since(start)
			}
			return nil
		},
		reply: func(n int) error {
			for range n {
				if err := errors.Join(await(1), hand(0)); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// onGoroutine starts a side on a goroutine.
func onGoroutine(int) func(play func()) (func() error, error) {
	return func(play func()) (func() error, error) {
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			play()
		}()
		return func() error { <-ended; return nil }, nil
	}
}

// onKernelThread starts a side on a kernel thread of its own, confined to a CPU of its
// own if there are two.
func onKernelThread(side int) func(play func()) (func() error, error) {
	return func(play func()) (func() error, error) {
		placed := make(chan error)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			runtime.LockOSThread() // for good: the thread ends with the goroutine
			err := settle(side)
			placed <- err
			if err == nil {
				play()
			}
		}()
		err := <-placed
		return func() error { <-ended; return nil }, err
	}
}

// settle confines the calling kernel thread to the CPU of a side.
func settle(side int) error {
	cpus, err := pin.Allowed()
	if err != nil {
		return err
	}
	return pin.Thread(cpus[min(side, len(cpus)-1)])
}
