package exp

import (
	"context"

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
	return measure.Loop(func(n int) error {
		yields := func() {
			for range n {
				green.Yield()
			}
		}
		one, err := r.Go(yields)
		if err != nil {
			return err
		}
		two, err := r.Go(yields)
		if err != nil {
			return err
		}
		if err := one.Join(context.Background()); err != nil {
			return err
		}
		return two.Join(context.Background())
	}, trimmed(func() error { return r.Close(context.Background()) })), nil
}
