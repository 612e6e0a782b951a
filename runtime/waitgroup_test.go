package runtime

import (
	"context"
	"errors"
	"math"
	"runtime"
	"sync/atomic"
	"testing"
)

func TestWaitGroupWaitsForAll(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		var wg WaitGroup
		for range rounds(20) {
			results := make([]int, 6) // handed over without atomics
			wg.Add(len(results))
			wait := w.started(len(results)+3, func(i int) {
				if i < len(results) {
					if i%2 == 0 {
						Yield()
					}
					results[i] = i + 1
					wg.Done()
					return
				}
				wg.Wait()
				for i, v := range results {
					if v != i+1 {
						t.Errorf("result %d is %d", i, v)
					}
				}
			})
			wait()
		}
		if wg.state.Load() != 0 || !wg.queue.empty() {
			t.Error("something is left")
		}
	})
}

func TestWaitGroupGoStartsThreads(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		w.alone(func() {
			var wg WaitGroup
			var n atomic.Int64
			for i := range 20 {
				wantErr(t, wg.Go(func() {
					if rt := Current().task.rt; w.rt != nil && rt != w.rt {
						t.Error("not in the caller's runtime")
					}
					n.Add(1)
					if i == 3 {
						runtime.Goexit()
					}
				}), nil)
			}
			wg.Wait()
			if n.Load() != 20 {
				t.Errorf("%d have run", n.Load())
			}
		})
	})
	var wg WaitGroup
	if err := wg.Go(nil); !errors.Is(err, ErrBadOption) {
		t.Error(err)
	}
	if err := wg.Go(func() {}, WithStackSize(1)); !errors.Is(err, ErrBadOption) {
		t.Error(err)
	}
	wg.Wait() // neither counts
}

func TestWaitGroupWaitEndsWithItsContext(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		for range rounds(20) {
			var wg WaitGroup
			wg.Add(1)
			var early atomic.Int64
			wait := w.started(6, func(i int) {
				if i == 0 {
					wg.Wait()
					return
				}
				ctx, cancel := soon(i)
				defer cancel()
				if wg.WaitContext(ctx) != nil {
					early.Add(1)
				}
			})
			for early.Load() < 2 {
				runtime.Gosched()
			}
			wg.Done()
			wait()
			wantErr(t, wg.WaitContext(ended()), nil)
			if wg.state.Load() != 0 {
				t.Error("something is left")
			}
		}
	})
}

func TestWaitGroupRefusesWhatCannotBe(t *testing.T) {
	var wg WaitGroup
	wantMessage(t, "greenthread: negative WaitGroup counter: -1", wg.Done)
	var large WaitGroup
	large.Add(math.MaxInt32)
	wantMessage(t, "greenthread: WaitGroup counter 2147483648, it must be at most 2147483647", func() { large.Add(1) })
	wantMessage(t, "greenthread: WaitGroup.Add of 4294967296, it must be from -2147483648 to 2147483647", func() { large.Add(1 << 32) })
}

func TestWaitGroupAllocatesNothing(t *testing.T) {
	var wg WaitGroup
	wantNoAllocations(t, "Add, Done and Wait", func() {
		wg.Add(1)
		wg.Done()
		wg.Wait()
		_ = wg.WaitContext(context.Background())
	})
}
