package exp

import (
	"context"
	"sync"

	"greenthread/bench/internal/measure"
)

// spawnGoroutine starts goroutines and waits for the end of all.
func spawnGoroutine(burst int) func(context.Context) (measure.Sampler, error) {
	return func(context.Context) (measure.Sampler, error) {
		var wg sync.WaitGroup
		done := wg.Done
		return measure.Loop(repeat(func() error {
			wg.Add(burst)
			for range burst {
				go done()
			}
			wg.Wait()
			return nil
		}), nil), nil
	}
}
