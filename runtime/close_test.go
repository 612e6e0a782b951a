package runtime_test

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	green "greenthread/runtime"
)

func TestCloseRunsDefers(t *testing.T) {
	var log []string
	c := green.NewCoroutine(func(y green.Yielder[int, int], in int) int {
		defer func() { log = append(log, "outer") }()
		func() {
			defer func() { log = append(log, fmt.Sprint("inner ", recover())) }()
			for {
				y.Yield(1)
			}
		}()
		log = append(log, "went on")
		return 0
	})
	must2(c.Resume(0))(t)
	must2(c.Resume(0))(t)
	wantError(t, c.Close(), nil)
	if want := []string{"inner <nil>", "outer"}; !reflect.DeepEqual(log, want) {
		t.Errorf("%q, want %q", log, want)
	}
	wantError(t, c.Close(), nil)
	if len(log) != 2 || !c.Done() {
		t.Error("a second Close did something")
	}
}

func TestCloseGoesOnAfterDefersThatYield(t *testing.T) {
	yields := 0
	c := green.NewCoroutine(func(y green.Yielder[int, int], in int) int {
		defer func() {
			for range 3 {
				if got := y.Yield(9); got != 0 {
					t.Errorf("Yield while closing returned %d", got)
				}
				yields++
			}
		}()
		defer func() {
			y.Yield(8)
			yields++
		}()
		return y.Yield(1)
	})
	must2(c.Resume(0))(t)
	within(t, 10*time.Second, "Close", func() { wantError(t, c.Close(), nil) })
	if yields != 4 {
		t.Errorf("%d yields in deferred calls", yields)
	}
}

func TestCloseHandsOnAPanicOfADefer(t *testing.T) {
	ran := false
	c := green.NewCoroutine(func(y green.Yielder[int, int], in int) int {
		defer func() { ran = true }()
		defer func() { panic(errBoom) }()
		return y.Yield(1)
	}, green.WithName("closing"))
	must2(c.Resume(0))(t)
	p := wantPanic(t, func() { c.Close() })
	if p.Value != errBoom || p.Name != "closing" || !ran {
		t.Errorf("%v, %q, %v", p.Value, p.Name, ran)
	}
	wantError(t, c.Close(), nil)
	_, err := c.Resume(0)
	wantError(t, err, green.ErrClosed)
}

func TestCloseEndsThoughADeferRecovers(t *testing.T) {
	var log []string
	c := green.NewCoroutine(func(y green.Yielder[int, int], in int) int {
		defer func() { log = append(log, "last") }()
		defer func() { log = append(log, fmt.Sprint(recover())) }()
		defer func() { panic("on the way") }()
		return y.Yield(1)
	})
	must2(c.Resume(0))(t)
	wantError(t, c.Close(), nil)
	if want := []string{"on the way", "last"}; !reflect.DeepEqual(log, want) {
		t.Errorf("%q, want %q", log, want)
	}
}

func TestCloseOfOneThatYieldsInADefer(t *testing.T) {
	log := ""
	c := green.NewCoroutine(func(y green.Yielder[int, int], in int) int {
		defer func() { log += "c" }()
		defer func() {
			log += "a"
			y.Yield(2)
			log += "b" // Close calls Goexit in the Yield above
		}()
		panic("first")
	})
	if got := must2(c.Resume(0))(t); got != 2 {
		t.Fatal(got)
	}
	v := recovered(func() { wantError(t, c.Close(), nil) })
	if log != "ac" {
		t.Errorf("%q, panic %v", log, v)
	}
	if !c.Done() {
		t.Error("not done")
	}
}

func TestCloseOfAFreshOneRunsNothing(t *testing.T) {
	c := green.NewCoroutine(func(y green.Yielder[int, int], in int) int { t.Error("it runs"); return 0 })
	wantError(t, c.Close(), nil)
	if !c.Done() {
		t.Error("not done")
	}
	for range c.All() {
		t.Error("it yields")
	}
}

func TestCloseOfARunningOneIsErrRunning(t *testing.T) {
	entered, release := make(chan bool), make(chan bool)
	c := green.NewCoroutine(func(y green.Yielder[int, int], in int) int {
		entered <- true
		<-release
		return 1
	})
	result := make(chan error)
	go func() { _, err := c.Resume(0); result <- err }()
	<-entered
	wantError(t, c.Close(), green.ErrRunning)
	if c.Done() {
		t.Error("done while it runs")
	}
	release <- true
	wantError(t, <-result, nil)
	wantError(t, c.Close(), nil)
	_, err := c.Resume(0)
	wantError(t, err, green.ErrFinished)
}

func TestCloseInsideADeferWhileClosing(t *testing.T) {
	var c *green.Coroutine[int, int]
	c = green.NewCoroutine(func(y green.Yielder[int, int], in int) int {
		defer func() {
			wantError(t, c.Close(), green.ErrRunning)
			_, err := c.Resume(0)
			wantError(t, err, green.ErrRunning)
		}()
		return y.Yield(1)
	})
	must2(c.Resume(0))(t)
	wantError(t, c.Close(), nil)
}

func TestCloseOfACoroutineThatHoldsOthers(t *testing.T) {
	closed := 0
	var nested func(depth int) *green.Coroutine[int, int]
	nested = func(depth int) *green.Coroutine[int, int] {
		return green.NewCoroutine(func(y green.Yielder[int, int], in int) int {
			defer func() { closed++ }()
			if depth > 0 {
				inner := nested(depth - 1)
				inner.Resume(0)
				defer inner.Close()
			}
			return y.Yield(1)
		})
	}
	c := nested(50)
	must2(c.Resume(0))(t)
	wantError(t, c.Close(), nil)
	if closed != 51 {
		t.Errorf("%d of 51 closed", closed)
	}
}

// dropped makes coroutines in a frame of its own, so that nothing keeps them.
//
//go:noinline
func dropped(t *testing.T, n int, make func(i int) *green.Coroutine[int, int]) {
	for i := range n {
		c := make(i)
		for range i%3 + 1 {
			must2(c.Resume(i))(t)
		}
	}
}

func TestDroppedWhileSuspendedClosesItself(t *testing.T) {
	var deferred atomic.Int64
	before := green.Anchors()
	dropped(t, 100, func(i int) *green.Coroutine[int, int] {
		return green.NewCoroutine(func(y green.Yielder[int, int], in int) int {
			defer func() {
				deferred.Add(1)
				if i%2 == 0 {
					y.Yield(0)
				}
			}()
			return echo(y, in)
		})
	})
	eventually(t, "dropped coroutines are closed", func() bool { return deferred.Load() == 100 })
	if green.Backend().Native {
		eventually(t, "their threads are idle", func() bool {
			s := green.Anchors()
			return s.Total-s.Idle <= before.Total-before.Idle
		})
	}
}

func TestKeptOnesAreNotClosed(t *testing.T) {
	var kept []*green.Coroutine[int, int]
	for range 50 {
		c := green.NewCoroutine(echo)
		must2(c.Resume(0))(t)
		kept = append(kept, c)
	}
	resume := kept[0].Resume // a method value keeps it, too
	kept[0] = kept[1]
	for range 5 {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	for i, c := range kept {
		if got := must2(c.Resume(i))(t); got != i {
			t.Fatal(got)
		}
	}
	if v, err := resume(7); v != 7 || err != nil {
		t.Fatal(v, err)
	}
	for _, c := range kept {
		wantError(t, c.Close(), nil)
	}
}

func TestDroppedWhileRunningClosesItselfAfterwards(t *testing.T) {
	closed := make(chan bool, 1)
	entered, release := make(chan bool), make(chan bool)
	values := make(chan int)
	start := func() {
		c := green.NewCoroutine(func(y green.Yielder[int, int], in int) int {
			defer func() { closed <- true }()
			y.Yield(1)
			entered <- true
			<-release
			y.Yield(2)
			t.Error("it was resumed")
			return 0
		})
		go func() {
			v, _ := c.Resume(0)
			values <- v
			v, _ = c.Resume(0) // the last use: nobody holds it while the body runs
			values <- v
		}()
	}
	start()
	if v := <-values; v != 1 {
		t.Fatal(v)
	}
	<-entered
	for range 5 {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	if len(closed) != 0 {
		t.Fatal("closed while it runs")
	}
	release <- true
	if v := <-values; v != 2 {
		t.Fatalf("the resumer got %d", v)
	}
	eventually(t, "it is closed", func() bool { return len(closed) == 1 })
}

func TestDroppedFreshAndFinishedOnesLeaveNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	for i := range 1000 {
		c := green.NewCoroutine(upTo(0))
		if i%2 == 0 {
			must2(c.Resume(0))(t)
		}
	}
	green.Trim(0)
	eventually(t, "no goroutine is left", func() bool { return runtime.NumGoroutine() <= before+2 })
}

func TestCloseReportsNothingTwice(t *testing.T) {
	c := green.NewCoroutine(func(green.Yielder[int, int], int) int { panic(errBoom) })
	if p := wantPanic(t, func() { c.Resume(0) }); !errors.Is(p, errBoom) {
		t.Error(p)
	}
	wantError(t, c.Close(), nil)
	_, err := c.Resume(0)
	wantError(t, err, green.ErrFinished)
}
