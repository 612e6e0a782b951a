package runtime_test

import (
	"testing"
	"testing/synctest"
	"time"

	green "greenthread/runtime"
)

// Bubbles of testing/synctest count who waits by the scheduler's switches, so
// what starts in one runs on the portable backend, and what was started outside
// natively is refused.

func TestCoroutineInsideABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		c := green.NewCoroutine(func(y green.Yielder[int, time.Duration], in int) time.Duration {
			for in > 0 {
				time.Sleep(time.Duration(in) * time.Hour)
				in = y.Yield(time.Since(start))
			}
			return 0
		})
		for i := 1; i <= 3; i++ {
			if got, want := must2(c.Resume(1))(t), time.Duration(i)*time.Hour; got != want {
				t.Errorf("%v of the bubble's time, want %v", got, want)
			}
		}
		must2(c.Resume(0))(t)
		if !c.Done() {
			t.Error("not done")
		}

		next, stop := green.Pull(func(yield func(int) bool) {
			for i := 0; yield(i); i++ {
				time.Sleep(time.Minute)
			}
		})
		for i := range 5 {
			if v, ok := next(); v != i || !ok {
				t.Error(v, ok)
			}
		}
		stop()
		before := time.Now()
		wantError(t, green.Do(func() { time.Sleep(time.Hour) }), nil)
		if time.Since(before) != time.Hour {
			t.Error(time.Since(before))
		}
		if p := wantPanic(t, func() { green.Do(func() { panic(errBoom) }) }); p.Value != errBoom {
			t.Error(p)
		}
		closed := green.NewCoroutine(echo)
		must2(closed.Resume(0))(t)
		wantError(t, closed.Close(), nil)
		synctest.Wait()
	})
}

func TestCoroutineFromOutsideABubbleIsErrBubble(t *testing.T) {
	needNative(t)
	c := green.NewCoroutine(echo)
	short := green.NewCoroutine(func(y green.Yielder[struct{}, float64], in struct{}) float64 {
		for {
			y.Yield(1)
		}
	})
	next, stop := green.Pull(func(yield func(int) bool) {
		for i := 0; yield(i); i++ {
		}
	})
	must2(c.Resume(1))(t)
	must2(short.Resume(struct{}{}))(t)
	next()
	synctest.Test(t, func(t *testing.T) {
		for range 3 {
			out, err := c.Resume(1)
			wantError(t, err, green.ErrBubble)
			if out != 0 {
				t.Error(out)
			}
			_, err = short.Resume(struct{}{})
			wantError(t, err, green.ErrBubble)
			wantError(t, c.Close(), green.ErrBubble)
			if v := recovered(func() { next() }); v != green.ErrBubble {
				t.Errorf("next panicked with %v", v)
			}
			if v := recovered(stop); v != green.ErrBubble {
				t.Errorf("stop panicked with %v", v)
			}
			wantError(t, green.Do(func() {}), nil)
		}
	})
	// Nothing was lost.
	if got := must2(c.Resume(5))(t); got != 5 {
		t.Error(got)
	}
	must2(short.Resume(struct{}{}))(t)
	if v, ok := next(); v != 1 || !ok {
		t.Error(v, ok)
	}
	stop()
	wantError(t, c.Close(), nil)
	wantError(t, short.Close(), nil)
}

func TestFreshCoroutineStartsInABubble(t *testing.T) {
	c := green.NewCoroutine(upTo(2))
	synctest.Test(t, func(t *testing.T) {
		for !c.Done() {
			must2(c.Resume(0))(t)
		}
	})
}

func TestBubbleInsideABody(t *testing.T) {
	c := green.NewCoroutine(func(y green.Yielder[int, int], in int) int {
		y.Yield(0)
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(time.Hour)
			inner := green.NewCoroutine(upTo(1))
			must2(inner.Resume(0))(t)
			must2(inner.Resume(0))(t)
		})
		y.Yield(1)
		return 2
	})
	for want := range 3 {
		if got := must2(c.Resume(0))(t); got != want {
			t.Error(got)
		}
	}
}

// TestCoroutineFromABubbleIsErrBubbleOutside: its goroutine and its channels are of the bubble,
// and Go ends the program when anybody else uses these.
func TestCoroutineFromABubbleIsErrBubbleOutside(t *testing.T) {
	ended := 0
	c := green.NewCoroutine(func(y green.Yielder[int, int], in int) int {
		defer func() { ended++ }()
		for {
			in = y.Yield(in)
		}
	})
	next, stop := green.Pull(func(yield func(int) bool) {
		defer func() { ended++ }()
		for i := 0; yield(i); i++ {
		}
	})
	started, refused := make(chan bool), make(chan bool)
	go func() {
		defer close(refused)
		<-started
		for range 3 {
			_, err := c.Resume(1)
			if err != green.ErrBubble {
				t.Errorf("Resume: %v", err)
			}
			if err := c.Close(); err != green.ErrBubble {
				t.Errorf("Close: %v", err)
			}
			if v := recovered(func() { next() }); v != green.ErrBubble {
				t.Errorf("next panicked with %v", v)
			}
			if v := recovered(stop); v != green.ErrBubble {
				t.Errorf("stop panicked with %v", v)
			}
		}
	}()
	synctest.Test(t, func(t *testing.T) {
		must2(c.Resume(1))(t)
		next()
		close(started)
		<-refused
		// Nothing was lost.
		if got := must2(c.Resume(5))(t); got != 5 {
			t.Error(got)
		}
		if v, ok := next(); v != 1 || !ok {
			t.Error(v, ok)
		}
		stop()
		wantError(t, c.Close(), nil)
	})
	if ended != 2 {
		t.Errorf("%d have ended, of 2", ended)
	}
}
