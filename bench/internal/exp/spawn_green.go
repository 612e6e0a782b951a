package exp

import (
	"context"
	"errors"

	"greenthread/bench/internal/measure"
	green "greenthread/runtime"
)

// spawnGreen has a green thread start others, on as many carriers as there are by
// default, and join them.
func spawnGreen(burst int) func(context.Context) (measure.Sampler, error) {
	return func(context.Context) (measure.Sampler, error) { return newGreenBursts(burst, true) }
}

// spawnForeign has an ordinary goroutine do so.
func spawnForeign(burst int) func(context.Context) (measure.Sampler, error) {
	return func(context.Context) (measure.Sampler, error) { return newGreenBursts(burst, false) }
}

type greenBursts struct {
	r      *green.Runtime
	inside bool
	burst  []*green.Thread
}

func newGreenBursts(size int, inside bool) (measure.Sampler, error) {
	r, err := green.New(green.Config{})
	if err != nil {
		return nil, err
	}
	return greenBursts{r, inside, make([]*green.Thread, size)}, nil
}

// Sample does n bursts. One who makes threads as a thread takes the time itself, once
// it runs.
func (g greenBursts) Sample(_ context.Context, clock measure.Clock, n int) (r measure.Reading, err error) {
	r.Ops = n
	do := func() {
		start := clock.Now()
		for range n {
			if err = g.once(); err != nil {
				return
			}
		}
		r.Elapsed = clock.Since(start)
	}
	if !g.inside {
		do()
		return r, err
	}
	t, started := g.r.Go(do)
	if started != nil {
		return r, started
	}
	return r, errors.Join(t.Join(context.Background()), err)
}

// once makes a burst, and joins it.
func (g greenBursts) once() error {
	for i := range g.burst {
		t, err := g.r.Go(nothing)
		if err != nil {
			return err
		}
		g.burst[i] = t
	}
	for _, t := range g.burst {
		if err := t.Join(context.Background()); err != nil {
			return err
		}
	}
	return nil
}

// Close ends the runtime of the threads.
func (g greenBursts) Close() error {
	return trimmed(func() error { return g.r.Close(context.Background()) })()
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
