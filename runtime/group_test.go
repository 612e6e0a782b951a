package runtime

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

func TestGroupReturnsTheFirstErrorAndEndsItsContext(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		w.alone(func() {
			g, ctx := WithContext(context.Background())
			var told atomic.Int32
			for range 3 {
				g.Go(func() error {
					err := SleepContext(ctx, time.Minute)
					if err == errStop {
						told.Add(1)
					}
					return err
				})
			}
			g.Go(func() error { return errStop })
			wantErr(t, g.Wait(), errStop)
			wantErr(t, context.Cause(ctx), errStop)
			if told.Load() != 3 {
				t.Errorf("%d were told", told.Load())
			}

			g, ctx = WithContext(context.Background())
			g.Go(func() error { return nil })
			wantErr(t, g.Wait(), nil)
			wantErr(t, context.Cause(ctx), context.Canceled)

			var zero Group
			zero.Go(func() error { runtime.Goexit(); return nil })
			wantErr(t, zero.Wait(), ErrGoexit)
		})
	})
}

func TestGroupPanicIsOneOfWait(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		w.alone(func() {
			g, ctx := WithContext(context.Background())
			g.Go(func() error { return SleepContext(ctx, time.Minute) })
			g.Go(func() error { panic("boom") })
			if p := panicIn(t, func() { _ = g.Wait() }); p.Value != "boom" {
				t.Error(p)
			}
		})
	})
}

func TestGroupLimitsHowManyRun(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		w.alone(func() {
			var g Group
			g.SetLimit(2)
			var running, done atomic.Int32
			fn := func() error {
				if n := running.Add(1); n > 2 {
					t.Errorf("%d run", n)
				}
				Yield()
				running.Add(-1)
				done.Add(1)
				return nil
			}
			for range 10 {
				g.Go(fn)
			}
			wantErr(t, g.Wait(), nil)
			var hold Semaphore
			for range 2 {
				if !g.TryGo(func() error { return hold.Acquire(context.Background(), 1) }) {
					t.Error("there was room")
				}
			}
			if g.TryGo(fn) {
				t.Error("there was no room")
			}
			wantMessage(t, "greenthread: Group.SetLimit while 2 functions run", func() { g.SetLimit(3) })
			hold.Release(2)
			wantErr(t, g.Wait(), nil)
			if done.Load() != 10 {
				t.Errorf("%d have run", done.Load())
			}
			g.SetLimit(-1)
			if !g.TryGo(fn) {
				t.Error("there is no limit")
			}
			g.Go(nil)
			if err := g.Wait(); !errors.Is(err, ErrBadOption) {
				t.Error(err)
			}
			wantMessage(t, "greenthread: Group.SetLimit of 0: no function could run", func() { g.SetLimit(0) })
		})
	})
}
