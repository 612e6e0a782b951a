package exp

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"greenthread/bench/internal/measure"
	green "greenthread/runtime"
)

// A switch of ours returns straight to who called Resume, Yield or next, and each
// further call in between would cost a return that the CPU predicts wrongly. So
// here they are called by the loops themselves, as a program would.

// switchCoroutine resumes a coroutine that yields at once.
func switchCoroutine(context.Context) (measure.Sampler, error) {
	c := green.NewCoroutine(func(y green.Yielder[int, int], in int) int {
		for {
			in = y.Yield(in)
		}
	})
	return measure.Loop(func(n int) error {
		for i := range n {
			if _, err := c.Resume(i); err != nil {
				return err
			}
		}
		return nil
	}, trimmed(c.Close)), nil
}

// switchPull calls the next function of our Pull, over an endless sequence.
func switchPull(context.Context) (measure.Sampler, error) {
	next, stop := green.Pull(endless)
	return measure.Loop(func(n int) error {
		for range n {
			next()
		}
		return nil
	}, trimmed(func() error { stop(); return nil })), nil
}

// switchThread has two green threads of one carrier yield to each other.
func switchThread(context.Context) (measure.Sampler, error) {
	r, err := green.New(green.Config{Carriers: 1})
	if err != nil {
		return nil, err
	}
	s := switchThreads{r}
	if !green.Backend().Native {
		return onOneP(s), nil // they are goroutines, and with a P each would yield to themselves
	}
	return s, nil
}

type switchThreads struct{ r *green.Runtime }

// Sample has each of the two yield n times. One of them takes the time itself,
// once both run: a Yield of a thread that is alone returns at once and is no
// switch, and there are thousands of them until the other is started.
func (s switchThreads) Sample(ctx context.Context, clock measure.Clock, n int) (measure.Reading, error) {
	var (
		arrived atomic.Int32
		elapsed time.Duration
	)
	both := func() {
		arrived.Add(1)
		for arrived.Load() < 2 {
			green.Yield()
		}
	}
	one, err := s.r.Go(func() {
		both()
		start := clock.Now()
		for range n {
			green.Yield()
		}
		elapsed = clock.Since(start)
	})
	if err != nil {
		return measure.Reading{}, err
	}
	two, err := s.r.Go(func() {
		both()
		for range n {
			green.Yield()
		}
	})
	if err != nil {
		arrived.Add(1) // let the first one end
		return measure.Reading{}, errors.Join(err, one.Join(ctx))
	}
	err = errors.Join(one.Join(ctx), two.Join(ctx))
	return measure.Reading{Ops: n, Elapsed: elapsed}, err
}

// Close ends the runtime of the two.
func (s switchThreads) Close() error {
	return trimmed(func() error { return s.r.Close(context.Background()) })()
}
