package exp

import (
	"context"
	"errors"
	"runtime"
	"time"

	"greenthread/bench/internal/measure"
	"greenthread/futex"
	green "greenthread/runtime"
)

// A wakeGreen has a green thread of the first runtime play with somebody: with one of
// the last runtime, or with a kernel thread.
type wakeGreen struct {
	runtimes []*green.Runtime
	play     func(s wakeGreen, ctx context.Context, clock measure.Clock, n int) (time.Duration, error)
}

// openWakeGreen makes so many runtimes of one carrier each.
func openWakeGreen(n int, play func(wakeGreen, context.Context, measure.Clock, int) (time.Duration, error)) (measure.Sampler, error) {
	s := wakeGreen{play: play}
	for range n {
		r, err := green.New(green.Config{Carriers: 1})
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.runtimes = append(s.runtimes, r)
	}
	return s, nil
}

func (s wakeGreen) Sample(ctx context.Context, clock measure.Clock, n int) (measure.Reading, error) {
	elapsed, err := s.play(s, ctx, clock, n)
	return measure.Reading{Ops: n, Elapsed: elapsed}, err
}

func (s wakeGreen) Close() error {
	return trimmed(func() error {
		var errs []error
		for _, r := range s.runtimes {
			errs = append(errs, r.Close(context.Background()))
		}
		return errors.Join(errs...)
	})()
}

// timed returns how long n rounds take, after one that is not counted: until it is
// over, the other side may not have begun.
func timed(clock measure.Clock, n int, round func()) time.Duration {
	round()
	start := clock.Now()
	for range n {
		round()
	}
	return clock.Since(start)
}

// wakeGreenOne has two threads of one carrier park and unpark each other.
func wakeGreenOne(context.Context) (measure.Sampler, error) { return openWakeGreen(1, parkAndUnpark) }

// wakeGreenAcross has two threads of different carriers do that, which are those of
// two runtimes: within one, a thread goes where it was woken from.
func wakeGreenAcross(context.Context) (measure.Sampler, error) {
	return openWakeGreen(2, parkAndUnpark)
}

func parkAndUnpark(s wakeGreen, ctx context.Context, clock measure.Clock, n int) (elapsed time.Duration, err error) {
	var ping *green.Thread
	pong, err := s.runtimes[len(s.runtimes)-1].Go(func() {
		for range n + 1 {
			green.Park()
			ping.Unpark()
		}
	})
	if err != nil {
		return 0, err
	}
	first, err := s.runtimes[0].Go(func() {
		ping = green.Current()
		elapsed = timed(clock, n, func() { pong.Unpark(); green.Park() })
	})
	if err != nil {
		return 0, err // the other one parks for ever; the variant ends here
	}
	return elapsed, errors.Join(first.Join(ctx), pong.Join(ctx))
}

// wakeGreenKernel has a green thread and a kernel thread wake each other: the one
// parks, the other sleeps on a Parker.
func wakeGreenKernel(context.Context) (measure.Sampler, error) {
	return openWakeGreen(1, func(s wakeGreen, ctx context.Context, clock measure.Clock, n int) (elapsed time.Duration, err error) {
		var parker futex.Parker
		var ping *green.Thread
		ended := make(chan struct{})
		thread, err := s.runtimes[0].Go(func() {
			ping = green.Current()
			elapsed = timed(clock, n, func() { parker.Unpark(); green.Park() })
		})
		if err != nil {
			return 0, err
		}
		go func() {
			defer close(ended)
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			for range n + 1 {
				parker.Park()
				ping.Unpark()
			}
		}()
		err = thread.Join(ctx)
		<-ended
		return elapsed, err
	})
}

// wakeGreenChan has two threads of one carrier hand a token to and fro by channels of
// package runtime without a buffer.
func wakeGreenChan(context.Context) (measure.Sampler, error) {
	return openWakeGreen(1, func(s wakeGreen, ctx context.Context, clock measure.Clock, n int) (elapsed time.Duration, err error) {
		there, back := green.NewChan[struct{}](0), green.NewChan[struct{}](0)
		pong, err := s.runtimes[0].Go(func() {
			for range there.All() {
				back.Send(struct{}{})
			}
		})
		if err != nil {
			return 0, err
		}
		ping, err := s.runtimes[0].Go(func() {
			defer there.Close()
			elapsed = timed(clock, n, func() { there.Send(struct{}{}); back.Recv() })
		})
		if err != nil {
			there.Close()
			return 0, errors.Join(err, pong.Join(ctx))
		}
		return elapsed, errors.Join(ping.Join(ctx), pong.Join(ctx))
	})
}
