package exp

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"greenthread/bench/internal/measure"
	green "greenthread/runtime"
)

// A contest is a sampler of threads that share the operations of a game.
type contest struct {
	crew    crew
	game    func() syncGame
	threads int
}

// A syncGame is what the threads do again and again: enter may have to wait, leave does
// not. seen is how many operations were done, if it counts them.
type syncGame struct {
	enter, leave func(thread int)
	finish       func()       // may be nil: is called once all have ended
	seen         func() int64 // may be nil
}

// A crew is threads of one kind: each starts one.
type crew struct {
	start func(play func()) error
	end   func() error // may be nil
}

// Sample does n operations, and then as many once more in which each wait is timed.
func (c contest) Sample(ctx context.Context, clock measure.Clock, n int) (measure.Reading, error) {
	count := measure.CountUsage()
	elapsed, err := c.play(ctx, clock, n, nil)
	r := measure.Reading{Ops: n, Elapsed: elapsed, Usage: count()}
	if err != nil {
		return r, err
	}
	waits := make([]time.Duration, n)
	_, err = c.play(ctx, clock, n, waits)
	r.Latencies = measure.Latencies(waits)
	return r, err
}

// play has the threads do n operations together. It returns the time from when all are there until all are done.
func (c contest) play(ctx context.Context, clock measure.Clock, n int, waits []time.Duration) (time.Duration, error) {
	g := c.game()
	var (
		arrived, left atomic.Int64
		start, end    time.Duration
	)
	left.Store(int64(c.threads))
	done := make(chan struct{})
	for thread := range c.threads {
		first, last := c.share(thread, n), c.share(thread+1, n)
		if err := c.crew.start(func() {
			if arrived.Add(1) == int64(c.threads) {
				start = clock.Now()
			}
			for arrived.Load() < int64(c.threads) {
				green.Yield() // which is Gosched to a goroutine
			}
			if waits == nil {
				for range last - first {
					g.enter(thread)
					g.leave(thread)
				}
			} else {
				for i := range waits[first:last] {
					from := clock.Now()
					g.enter(thread)
					waits[first+i] = clock.Since(from)
					g.leave(thread)
				}
			}
			if left.Add(-1) == 0 {
				end = clock.Now()
				close(done)
			}
		}); err != nil {
			arrived.Add(int64(c.threads)) // let those go that there are
			return 0, err
		}
	}
	select {
	case <-done:
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	if g.finish != nil {
		g.finish()
	}
	if g.seen != nil && g.seen() != int64(n) {
		return 0, fmt.Errorf("%d operations were counted, and %d done", g.seen(), n)
	}
	return end - start, nil
}

// share is where the operations of a thread begin: all have as many, and the first of
// them one more where that does not divide.
func (c contest) share(thread, n int) int {
	return thread*(n/c.threads) + min(thread, n%c.threads)
}

// Close ends what the crew runs on.
func (c contest) Close() error {
	if c.crew.end == nil {
		return nil
	}
	return c.crew.end()
}

// goCrew makes goroutines.
func goCrew() (crew, error) {
	return crew{start: func(play func()) error { go play(); return nil }}, nil
}

// kernelCrew makes goroutines that are locked to their kernel threads.
func kernelCrew() (crew, error) {
	return crew{start: func(play func()) error {
		go onThread(play)
		return nil
	}}, nil
}

// greenCrew makes green threads, on as many carriers as there are by default.
func greenCrew() (crew, error) {
	r, err := green.New(green.Config{})
	if err != nil {
		return crew{}, err
	}
	return crew{
		start: func(play func()) error { _, err := r.Go(play); return err },
		end:   trimmed(func() error { return r.Close(context.Background()) }),
	}, nil
}
