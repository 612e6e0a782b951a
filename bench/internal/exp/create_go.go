package exp

import (
	"context"
	"sync"

	"greenthread/bench/internal/measure"
)

// createGoroutine starts a goroutine and waits for its end.
func createGoroutine(context.Context) (measure.Sampler, error) {
	var wg sync.WaitGroup
	done := wg.Done
	return measure.Loop(func(n int) error {
		for range n {
			wg.Add(1)
			go done()
			wg.Wait()
		}
		return nil
	}, nil), nil
}
