package runtime

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"
)

func TestSemaphoreBoundsHowManyAreInside(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		const size = 5
		s := NewSemaphore(size)
		var inside atomic.Int64
		w.together(8, func(i int) {
			for round := range rounds(100) {
				n := (i+round)%size + 1
				switch round % 3 {
				case 0:
					if !s.TryAcquire(n) {
						continue
					}
				case 1:
					ctx, cancel := soon(i + round)
					err := s.Acquire(ctx, n)
					cancel()
					if err != nil {
						continue
					}
				default:
					wantErr(t, s.Acquire(context.Background(), n), nil)
				}
				if got := inside.Add(int64(n)); got > size {
					t.Errorf("%d are inside", got)
				}
				if round%2 == 0 {
					Yield()
				}
				inside.Add(-int64(n))
				s.Release(n)
			}
		})
		if s.state.Load() != size*2 || !s.queue.empty() {
			t.Errorf("%d permits are left, state %b", s.Free(), s.state.Load())
		}
	})
}

// One that waits for many is not passed by those that want few, and when it gives up,
// they go on.
func TestSemaphoreServesInOrder(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		s := NewSemaphore(3)
		wantErr(t, s.Acquire(context.Background(), 2), nil)
		ctx, cancel := context.WithCancelCause(context.Background())
		defer cancel(nil)
		var order []int // guarded by s
		many := w.started(1, func(int) { wantErr(t, s.Acquire(ctx, 3), errStop) })
		queued(&s.guard, &s.queue, 1)
		var few []func()
		for i := range 3 {
			few = append(few, w.started(1, func(int) {
				wantErr(t, s.Acquire(context.Background(), 1), nil)
				order = append(order, i)
				s.Release(1)
			}))
			queued(&s.guard, &s.queue, 2+i)
		}
		if s.TryAcquire(1) {
			t.Error("passed the queue")
		}
		cancel(errStop)
		many()
		for _, wait := range few {
			wait()
		}
		s.Release(2)
		for i, got := range order {
			if i != got {
				t.Errorf("served in the order %v", order)
			}
		}
		if s.Free() != 3 {
			t.Errorf("%d are free", s.Free())
		}
	})
}

// One that leaves must not put back what others take at that moment.
func TestSemaphoreKeepsItsPermitsWhenOneLeaves(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		s := NewSemaphore(2)
		var stop atomic.Bool
		takers := w.started(2, func(int) {
			for !stop.Load() {
				if s.TryAcquire(1) {
					s.Release(1)
				}
				Yield()
			}
		})
		w.together(2, func(i int) {
			for round := range rounds(100) {
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration(round%7)*time.Microsecond)
				if s.Acquire(ctx, 2) == nil {
					s.Release(2)
				}
				cancel()
			}
		})
		stop.Store(true)
		takers()
		if s.state.Load() != 2*2 {
			t.Errorf("%d permits are left of 2, state %b", s.Free(), s.state.Load())
		}
	})
}

func TestZeroSemaphoreCountsEvents(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		var s Semaphore
		message := 0
		w.together(2, func(i int) {
			if i == 0 {
				message = 1
				s.Release(1)
				return
			}
			wantErr(t, s.Acquire(context.Background(), 1), nil)
			if message != 1 {
				t.Error("what was before Release is not seen")
			}
		})
	})
}

func TestSemaphoreRefusesWhatCannotBe(t *testing.T) {
	s := NewSemaphore(2)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, n := range []int{-1, 3} {
		if err := s.Acquire(ctx, n); !errors.Is(err, ErrBadOption) {
			t.Errorf("Acquire of %d: %v", n, err)
		}
		if s.TryAcquire(n) {
			t.Errorf("TryAcquire of %d", n)
		}
	}
	wantErr(t, s.Acquire(ended(), 2), nil) // they are free
	wantErr(t, s.Acquire(ended(), 1), errStop)
	wantErr(t, s.Acquire(ended(), 0), nil)
	s.Release(2)
	wantMessage(t, "greenthread: Semaphore.Release of 1 permits, with 2 free of at most 2", func() { s.Release(1) })
	wantMessage(t, "greenthread: Semaphore.Release of -1 permits", func() { s.Release(-1) })
	wantMessage(t, "greenthread: NewSemaphore of 0, it must be from 1 to 2147483647", func() { NewSemaphore(0) })
	wantMessage(t, "greenthread: NewSemaphore of 2147483648, it must be from 1 to 2147483647", func() { NewSemaphore(MaxPermits + 1) })
	var zero Semaphore
	zero.Release(MaxPermits)
	wantMessage(t, "greenthread: Semaphore.Release of 1 permits, with 2147483647 free of at most 2147483647", func() { zero.Release(1) })
}

func TestSemaphoreAllocatesNothing(t *testing.T) {
	s := NewSemaphore(2)
	wantNoAllocations(t, "Acquire and Release", func() {
		_ = s.Acquire(context.Background(), 2)
		s.Release(2)
	})
}
