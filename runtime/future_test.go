package runtime

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"
)

func TestFutureHandsOverResultAndError(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		for range rounds(10) {
			var futures []*Future[[]int]
			w.alone(func() {
				for i := range 3 {
					futures = append(futures, Spawn(func() ([]int, error) {
						Yield()
						return []int{i}, errStop
					}))
				}
			})
			w.together(6, func(i int) { // two ask for each
				v, err := futures[i%3].Get(context.Background())
				if len(v) != 1 || v[0] != i%3 || err != errStop {
					t.Errorf("future %d: %v, %v", i%3, v, err)
				}
			})
			<-futures[0].Done()
			if v, err := futures[0].Get(ended()); len(v) != 1 || err != errStop {
				t.Error(v, err)
			}
		}
	})
}

func TestFutureGetEndsWithItsContext(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		w.alone(func() {
			var release Semaphore
			f := Spawn(func() (int, error) { return 7, release.Acquire(context.Background(), 1) })
			done := f.Done()
			_, err := f.Get(ended())
			wantErr(t, err, errStop)
			ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
			defer cancel()
			_, err = f.Get(ctx)
			wantErr(t, err, context.DeadlineExceeded)
			select {
			case <-done:
				t.Error("done")
			default:
			}
			release.Release(1)
			v, err := f.Get(context.Background())
			wantErr(t, err, nil)
			if v != 7 || !f.queue.empty() {
				t.Errorf("%d; %d still wait", v, f.queue.length)
			}
			<-done
		})
	})
}

func TestFuturePanicIsOneOfGet(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		w.alone(func() {
			f := Spawn(func() (int, error) { panic(errStop) }, WithName("worker"))
			for range 2 {
				p := panicIn(t, func() { _, _ = f.Get(context.Background()) })
				if !errors.Is(p, errStop) || p.Name != "worker" || len(p.Stack) == 0 {
					t.Errorf("%v", p)
				}
			}
			_, err := Spawn(func() (int, error) { runtime.Goexit(); return 0, nil }).Get(context.Background())
			wantErr(t, err, ErrGoexit)
		})
	})
}

func TestFutureOfAnOverflowSaysSo(t *testing.T) {
	needsNative(t)
	f := Spawn(func() (int, error) { return recurse(1 << 40), nil }, WithName("bottomless"))
	p := panicIn(t, func() { _, _ = f.Get(context.Background()) })
	var overflow *StackOverflowError
	if !errors.As(p, &overflow) || overflow.Thread != "bottomless" {
		t.Error(p)
	}
}

// panicIn returns what f panics with.
func panicIn(t *testing.T, f func()) (p *PanicError) {
	t.Helper()
	defer func() {
		t.Helper()
		v := recover()
		var ok bool
		if p, ok = v.(*PanicError); !ok {
			t.Fatalf("panicked with %T %v, want a *PanicError", v, v)
		}
	}()
	f()
	return nil
}

func TestFutureThatCannotBeStarted(t *testing.T) {
	_, err := Spawn[int](nil).Get(context.Background())
	if !errors.Is(err, ErrBadOption) {
		t.Error(err)
	}
	f := Spawn(func() (int, error) { return 1, nil }, WithStackSize(1))
	if _, err := f.Get(context.Background()); !errors.Is(err, ErrBadOption) {
		t.Error(err)
	}
	<-f.Done()
}
