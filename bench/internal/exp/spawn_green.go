package exp

import (
	"context"

	"greenthread/bench/internal/measure"
	green "greenthread/runtime"
)

// spawnGreen starts green threads on as many carriers as there are by default, and
// joins them.
func spawnGreen(burst int) func(context.Context) (measure.Sampler, error) {
	return func(ctx context.Context) (measure.Sampler, error) {
		r, err := green.New(green.Config{})
		if err != nil {
			return nil, err
		}
		threads := make([]*green.Thread, burst)
		once := func() error {
			for i := range threads {
				t, err := r.Go(nothing)
				if err != nil {
					return err
				}
				threads[i] = t
			}
			for _, t := range threads {
				if err := t.Join(context.Background()); err != nil {
					return err
				}
			}
			return nil
		}
		return measure.Loop(repeat(once), trimmed(func() error { return r.Close(context.Background()) })), nil
	}
}

// repeat returns the loop around an operation.
func repeat(once func() error) func(n int) error {
	return func(n int) error {
		for range n {
			if err := once(); err != nil {
				return err
			}
		}
		return nil
	}
}
