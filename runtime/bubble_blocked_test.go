package runtime_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	green "greenthread/runtime"
)

// TestCarriersAreReplacedInABubble: where threads that block in Go hold all carriers, others get
// new ones by the real clock. The bubble's stands still while anything runs there, and must not go
// on while a thread is ready.
func TestCarriersAreReplacedInABubble(t *testing.T) {
	block := map[string]func(full <-chan int, over *atomic.Bool){
		"wait":  func(full <-chan int, _ *atomic.Bool) { <-full },
		"sleep": func(<-chan int, *atomic.Bool) { time.Sleep(time.Hour) },
		"poll": func(_ <-chan int, over *atomic.Bool) {
			for !over.Load() {
				runtime.Gosched()
			}
		},
	}
	for how, blocks := range block {
		for _, polled := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				r, err := green.New(green.Config{Carriers: 2})
				if err != nil {
					t.Fatal(err)
				}
				full, over := make(chan int), new(atomic.Bool)
				for range 4 {
					must2(r.Go(func() { blocks(full, over) }))(t)
				}
				must2(r.Go(func() {
					green.Yield()
					over.Store(true)
				}))(t)
				for polled && !over.Load() {
					runtime.Gosched()
				}
				synctest.Wait()
				if !over.Load() {
					t.Errorf("%s: all wait, and a thread has not run", how)
				}
				if d := time.Since(began); d != 0 {
					t.Errorf("%s: %v of the bubble's time have passed", how, d)
				}
				close(full)
				wantError(t, r.Close(context.Background()), nil)
			})
		}
	}
}
