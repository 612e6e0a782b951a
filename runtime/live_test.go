package runtime

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"greenthread/stackpool"
)

// TestTheLimitOfStacksIsExact starts as many threads as there can be stacks, again and
// again, from a thread of a carrier whose neighbour runs most of them: places for threads
// that lie with one carrier are found by another, and whoever has been joined needs none.
func TestTheLimitOfStacksIsExact(t *testing.T) {
	needsNative(t)
	watch(t)
	const limit = 40
	pool, err := stackpool.New(stackpool.Config{MaxStacks: limit})
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(Config{Carriers: 2, Pool: pool})
	if err != nil {
		t.Fatal(err)
	}
	rounds := 2000
	if raceEnabled {
		rounds = 200
	}
	join(t, start(t, r, func() {
		var all [limit - 1]*Thread // and the one that makes them
		for round := range rounds {
			for i := range all {
				work := rand.IntN(3)
				th, err := r.Go(func() {
					for range work * 100 {
						glance()
					}
					if work == 0 {
						Yield()
					}
				})
				if err != nil {
					t.Errorf("round %d, thread %d of %d: %v; %+v", round, i, len(all), err, r.Stats())
					return
				}
				all[i] = th
			}
			for _, th := range all {
				if err := th.Join(context.Background()); err != nil {
					t.Error(err)
				}
			}
		}
	}))
	if n := r.Stats().Live; n != 0 {
		t.Errorf("%d are alive at the end", n)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := r.Close(ctx); err != nil {
		t.Error(err)
	}
	for deadline := time.Now().Add(10 * time.Second); pool.Stats().Live > 0 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	if err := pool.Close(); err != nil {
		t.Error(err)
	}
}
