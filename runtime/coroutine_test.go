package runtime_test

import (
	"context"
	"errors"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	green "greenthread/runtime"
)

// echo yields what it gets until it is closed.
func echo(y green.Yielder[int, int], in int) int {
	for {
		in = y.Yield(in)
	}
}

// upTo returns a body that yields 1 to n and returns n+1.
func upTo(n int) func(green.Yielder[int, int], int) int {
	return func(y green.Yielder[int, int], _ int) int {
		for i := range n {
			y.Yield(i + 1)
		}
		return n + 1
	}
}

func TestValuesGoBothWays(t *testing.T) {
	c := green.NewCoroutine(func(y green.Yielder[int, string], in int) string {
		for in < 3 {
			in = y.Yield(string(rune('a' + in)))
		}
		return "end"
	})
	for i, want := range []string{"a", "b", "c", "end"} {
		if c.Done() {
			t.Fatalf("done before value %d", i)
		}
		if got, err := c.Resume(i); got != want || err != nil {
			t.Fatalf("Resume(%d) = %q, %v, want %q", i, got, err, want)
		}
	}
	if !c.Done() {
		t.Error("not done after its end")
	}
}

func TestResumeAfterTheEndIsErrFinished(t *testing.T) {
	c := green.NewCoroutine(upTo(1))
	c.Resume(0)
	c.Resume(0)
	for range 3 {
		out, err := c.Resume(0)
		wantError(t, err, green.ErrFinished)
		if out != 0 {
			t.Errorf("a value came with it: %d", out)
		}
	}
	wantError(t, c.Close(), nil)
	_, err := c.Resume(0)
	wantError(t, err, green.ErrFinished)
}

func TestResumeAfterCloseIsErrClosed(t *testing.T) {
	for _, steps := range []int{0, 1, 2} {
		c := green.NewCoroutine(echo)
		for range steps {
			c.Resume(0)
		}
		wantError(t, c.Close(), nil)
		_, err := c.Resume(0)
		wantError(t, err, green.ErrClosed)
		if !c.Done() {
			t.Error("not done after Close")
		}
	}
}

func TestResumeOfItselfIsErrRunning(t *testing.T) {
	var c *green.Coroutine[int, int]
	c = green.NewCoroutine(func(y green.Yielder[int, int], in int) int {
		for range 3 {
			if _, err := c.Resume(1); !errors.Is(err, green.ErrRunning) {
				t.Errorf("Resume of itself: %v", err)
			}
			if err := c.Close(); !errors.Is(err, green.ErrRunning) {
				t.Errorf("Close of itself: %v", err)
			}
			if c.Done() {
				t.Error("done while it runs")
			}
			in = y.Yield(in)
		}
		return in
	})
	for i := range 4 {
		if got := must2(c.Resume(i))(t); got != i {
			t.Fatalf("got %d, want %d", got, i)
		}
	}
}

// must2 lets a call with two results be the only argument.
func must2[Out any](out Out, err error) func(*testing.T) Out {
	return func(t *testing.T) Out { t.Helper(); return must(t, out, err) }
}

func TestResumeOfTheResumerIsErrRunning(t *testing.T) {
	var outer *green.Coroutine[int, int]
	outer = green.NewCoroutine(func(y green.Yielder[int, int], in int) int {
		inner := green.NewCoroutine(func(green.Yielder[int, int], int) int {
			_, err := outer.Resume(0)
			wantError(t, err, green.ErrRunning)
			wantError(t, outer.Close(), green.ErrRunning)
			return 7
		})
		return must2(inner.Resume(0))(t)
	})
	if got := must2(outer.Resume(0))(t); got != 7 {
		t.Fatal(got)
	}
}

func TestBadOptionsAreReportedByResume(t *testing.T) {
	body := upTo(1)
	for name, c := range map[string]*green.Coroutine[int, int]{
		"nil body":    green.NewCoroutine[int, int](nil),
		"nil option":  green.NewCoroutine(body, nil),
		"small stack": green.NewCoroutine(body, green.WithStackSize(1)),
		"huge stack":  green.NewCoroutine(body, green.WithStackSize(1<<40)),
		"nil pool":    green.NewCoroutine(body, green.WithPool(nil)),
	} {
		for range 2 {
			if _, err := c.Resume(0); !errors.Is(err, green.ErrBadOption) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if err := c.Close(); err != nil {
			t.Errorf("%s: Close: %v", name, err)
		}
	}
	wantError(t, green.Do(nil), green.ErrBadOption)
	wantError(t, green.Do(func() {}, green.WithStackSize(-1)), green.ErrBadOption)
}

func TestExactlyOneOfTwoResumersWins(t *testing.T) {
	entered, release := make(chan struct{}), make(chan struct{})
	c := green.NewCoroutine(func(y green.Yielder[int, int], in int) int {
		for {
			entered <- struct{}{}
			<-release
			in = y.Yield(in)
		}
	})
	for round := range 1000 {
		start := make(chan struct{})
		results := make(chan error, 2)
		for i := range 2 {
			go func() {
				<-start
				v, err := c.Resume(round + i)
				if err == nil && v != round+i {
					err = errors.New("the loser's value went in")
				}
				results <- err
			}()
		}
		close(start)
		<-entered
		wantError(t, <-results, green.ErrRunning)
		release <- struct{}{}
		wantError(t, <-results, nil)
	}
	wantError(t, c.Close(), nil)
}

func TestManyResumersLoseNothing(t *testing.T) {
	total := 0 // only the body touches it
	c := green.NewCoroutine(func(y green.Yielder[int, int], in int) int {
		for {
			total++
			in = y.Yield(in)
		}
	})
	var won, lost atomic.Int64
	var wg sync.WaitGroup
	deadline := time.Now().Add(200 * time.Millisecond)
	for g := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := 0; time.Now().Before(deadline); i++ {
				switch v, err := c.Resume(g<<32 | i); {
				case err == nil && v == g<<32|i:
					won.Add(1)
				case errors.Is(err, green.ErrRunning):
					lost.Add(1)
				default:
					t.Errorf("Resume = %#x, %v", v, err)
					return
				}
			}
		}()
	}
	wg.Wait()
	wantError(t, c.Close(), nil)
	if int64(total) != won.Load() {
		t.Errorf("the body ran %d times for %d resumes (%d refused)", total, won.Load(), lost.Load())
	}
}

func TestCloseAndResumeRace(t *testing.T) {
	for range 500 {
		deferred := 0
		c := green.NewCoroutine(func(y green.Yielder[int, int], in int) int {
			defer func() { deferred++ }()
			return echo(y, in)
		})
		must2(c.Resume(0))(t)
		var wg sync.WaitGroup
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				if _, err := c.Resume(0); errors.Is(err, green.ErrClosed) {
					return
				} else if err != nil && !errors.Is(err, green.ErrRunning) {
					t.Error(err)
					return
				}
			}
		}()
		for {
			err := c.Close()
			if err == nil {
				break
			}
			wantError(t, err, green.ErrRunning)
		}
		wg.Wait()
		if deferred != 1 {
			t.Fatalf("deferred calls ran %d times", deferred)
		}
	}
}

func TestResumeFromGoroutinesInTurn(t *testing.T) {
	c := green.NewCoroutine(echo)
	for i := range 200 {
		done := make(chan struct{})
		go func() {
			defer close(done)
			if i%3 == 0 {
				runtime.LockOSThread() // its kernel thread ends with it
			}
			if got, err := c.Resume(i); got != i || err != nil {
				t.Errorf("Resume(%d) = %d, %v", i, got, err)
			}
		}()
		<-done
	}
	wantError(t, c.Close(), nil)
}

// nest resumes a coroutine that resumes one, and so on. Each yields once on the
// way, so all stacks are alive together.
func nest(t *testing.T, depth int) int {
	if depth == 0 {
		return 0
	}
	var local [32]int
	for i := range local {
		local[i] = depth * i
	}
	c := green.NewCoroutine(func(y green.Yielder[int, int], in int) int {
		below := nest(t, in-1)
		if got := y.Yield(below); got != in+1 {
			t.Errorf("depth %d: Yield returned %d", in, got)
		}
		return below + 1
	})
	below := must2(c.Resume(depth))(t)
	if depth%100 == 0 {
		runtime.GC()
	}
	result := must2(c.Resume(depth + 1))(t)
	for i := range local {
		if local[i] != depth*i {
			t.Fatalf("depth %d: a local variable has changed", depth)
		}
	}
	if result != below+1 || !c.Done() {
		t.Fatalf("depth %d: %d after %d", depth, result, below)
	}
	return result
}

func TestNestedThousandDeep(t *testing.T) {
	if got := nest(t, 1000); got != 1000 {
		t.Fatal(got)
	}
}

func TestSuspendedInsideOneAndResumedInAnother(t *testing.T) {
	inner := green.NewCoroutine(upTo(4))
	outer := func() *green.Coroutine[int, int] {
		return green.NewCoroutine(func(y green.Yielder[int, int], in int) int {
			v := must2(inner.Resume(0))(t)
			y.Yield(v)
			return must2(inner.Resume(0))(t)
		})
	}
	a, b := outer(), outer()
	for i, c := range []*green.Coroutine[int, int]{a, b, b, a} {
		if got := must2(c.Resume(0))(t); got != i+1 {
			t.Fatalf("step %d: %d", i, got)
		}
	}
	if got := must2(inner.Resume(0))(t); got != 5 || !inner.Done() {
		t.Fatal(got)
	}
}

func TestYieldAfterTheEndIsRefused(t *testing.T) {
	var kept green.Yielder[int, int]
	c := green.NewCoroutine(func(y green.Yielder[int, int], in int) int {
		kept = y
		return 0
	})
	must2(c.Resume(0))(t)
	if v := recovered(func() { kept.Yield(1) }); v != green.ErrStranger {
		t.Errorf("Yield after the end panicked with %v", v)
	}
}

func TestYieldBySomebodyElseIsRefused(t *testing.T) {
	type wide struct{ A, B int }
	var kept green.Yielder[int, wide]
	c := green.NewCoroutine(func(y green.Yielder[int, wide], in int) wide {
		kept = y
		for i := 1; ; i++ {
			y.Yield(wide{i, -i})
		}
	})
	defer c.Close()
	must2(c.Resume(0))(t)
	if v := recovered(func() { kept.Yield(wide{9, 9}) }); v != green.ErrStranger {
		t.Errorf("Yield while suspended, by an ordinary goroutine, panicked with %v", v)
	}
	other := green.NewCoroutine(func(y green.Yielder[int, int], in int) int {
		if v := recovered(func() { kept.Yield(wide{9, 9}) }); v != green.ErrStranger {
			t.Errorf("Yield while suspended, by another coroutine, panicked with %v", v)
		}
		return 1
	})
	must2(other.Resume(0))(t)
	if got := must2(c.Resume(0))(t); got != (wide{2, -2}) {
		t.Errorf("after refused yields: %v", got)
	}
}

func TestInnerBodyCannotYieldForTheOuter(t *testing.T) {
	needNative(t)
	outer := green.NewCoroutine(func(y green.Yielder[int, int], in int) int {
		inner := green.NewCoroutine(func(green.Yielder[int, int], int) int {
			if v := recovered(func() { y.Yield(5) }); v != green.ErrStranger {
				t.Errorf("panicked with %v", v)
			}
			return 6
		})
		return must2(inner.Resume(0))(t)
	})
	if got := must2(outer.Resume(0))(t); got != 6 {
		t.Fatal(got)
	}
}

// TestBodyBlocksInGo lets bodies wait for everything that Go waits for.
func TestBodyBlocksInGo(t *testing.T) {
	var busy atomic.Int64
	stop := make(chan struct{})
	var background sync.WaitGroup
	for range 3 {
		background.Add(1)
		go func() {
			defer background.Done()
			for {
				select {
				case <-stop:
					return
				default:
					busy.Add(1)
					runtime.Gosched()
				}
			}
		}()
	}
	defer background.Wait()
	defer close(stop)

	var mu sync.Mutex
	cond := sync.NewCond(&mu)
	signalled := false
	channel, reply := make(chan int), make(chan int)
	left, right := net.Pipe()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	defer listener.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
	defer cancel()

	steps := map[string]func() int{
		"channel": func() int {
			go func() { channel <- 1; reply <- <-channel }()
			v := <-channel
			channel <- 2
			return v + <-reply
		},
		"mutex": func() int {
			mu.Lock()
			go func() { time.Sleep(time.Millisecond); mu.Unlock() }()
			mu.Lock()
			mu.Unlock() //nolint:staticcheck // only the wait counts
			return 3
		},
		"cond": func() int {
			go func() { time.Sleep(time.Millisecond); mu.Lock(); signalled = true; mu.Unlock(); cond.Broadcast() }()
			mu.Lock()
			for !signalled {
				cond.Wait()
			}
			mu.Unlock()
			return 3
		},
		"sleep": func() int {
			start := time.Now()
			time.Sleep(3 * time.Millisecond)
			if time.Since(start) < 3*time.Millisecond {
				return -1
			}
			return 3
		},
		"pipe": func() int {
			go func() { right.Write([]byte("abc")) }()
			b := make([]byte, 10)
			n, _ := left.Read(b)
			return n
		},
		"tcp": func() int {
			go func() {
				c, err := listener.Accept()
				if err == nil {
					c.Write([]byte("abc"))
					c.Close()
				}
			}()
			c, err := net.Dial("tcp", listener.Addr().String())
			if err != nil {
				t.Error(err)
				return 0
			}
			defer c.Close()
			n, _ := c.Read(make([]byte, 10))
			return n
		},
		"select": func() int {
			select {
			case <-ctx.Done():
				return 3
			case <-make(chan int):
				return 0
			}
		},
		"wait group": func() int {
			var wg sync.WaitGroup
			var n atomic.Int64
			for range 3 {
				wg.Add(1)
				go func() { defer wg.Done(); time.Sleep(time.Millisecond); n.Add(1) }()
			}
			wg.Wait()
			return int(n.Load())
		},
	}
	for name, step := range steps {
		before := busy.Load()
		c := green.NewCoroutine(func(y green.Yielder[int, int], in int) int {
			v := step()
			y.Yield(v)
			return v
		})
		for range 2 {
			if got := must2(c.Resume(0))(t); got != 3 {
				t.Errorf("%s: %d", name, got)
			}
		}
		if !c.Done() {
			t.Errorf("%s: not done", name)
		}
		_ = before
	}
	if busy.Load() == 0 {
		t.Error("other goroutines did not run meanwhile")
	}
}

func TestDoRunsOnAnotherStack(t *testing.T) {
	depth := 0
	for i := range 100 {
		err := green.Do(func() {
			depth++
			if _, ok := green.Remaining(); ok != green.Backend().Native {
				t.Error("Remaining tells a wrong backend")
			}
			if i%10 == 0 {
				wantError(t, green.Do(func() { depth++; runtime.Gosched() }), nil)
			}
		})
		wantError(t, err, nil)
	}
	if depth != 110 {
		t.Fatal(depth)
	}
	if p := wantPanic(t, func() { green.Do(func() { panic("in Do") }) }); p.Value != "in Do" {
		t.Error(p.Value)
	}
	if !goexits(func() { green.Do(runtime.Goexit) }) {
		t.Error("Goexit did not reach the caller of Do")
	}
	wantError(t, green.Do(func() { depth++ }), nil)
	if depth != 111 {
		t.Fatal("does not run any more")
	}
}

func TestDoInParallel(t *testing.T) {
	var wg sync.WaitGroup
	var n atomic.Int64
	for g := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 2000 {
				if err := green.Do(func() {
					n.Add(1)
					if (i+g)%50 == 0 {
						runtime.Gosched()
					}
					if (i+g)%333 == 0 {
						_ = green.Do(func() { n.Add(1) })
						n.Add(-1)
					}
				}); err != nil {
					t.Error(err)
				}
				if i%500 == 0 {
					green.Trim(0)
				}
			}
		}()
	}
	wg.Wait()
	if n.Load() != 8*2000 {
		t.Error(n.Load())
	}
}

func TestAllEndsWithTheBody(t *testing.T) {
	c := green.NewCoroutine(upTo(5))
	var got []int
	for v := range c.All() {
		got = append(got, v)
		if v == 2 {
			break
		}
	}
	for v := range c.All() {
		got = append(got, v)
	}
	if len(got) != 5 || got[4] != 5 || !c.Done() {
		t.Fatal(got)
	}
	for v := range c.All() {
		t.Error("a finished coroutine yields ", v)
	}
	bad := green.NewCoroutine[int, int](nil)
	if err, _ := recovered(func() {
		for range bad.All() {
		}
	}).(error); !errors.Is(err, green.ErrBadOption) {
		t.Error(err)
	}
}

func TestSwitchesDoNotAllocate(t *testing.T) {
	c := green.NewCoroutine(echo)
	defer c.Close()
	c.Resume(0)
	s := green.NewCoroutine(func(y green.Yielder[string, string], in string) string {
		for {
			in = y.Yield(in)
		}
	})
	defer s.Close()
	s.Resume("")
	next, stop := green.Pull(func(yield func(string) bool) {
		for yield("x") {
		}
	})
	defer stop()
	next()
	next2, stop2 := green.Pull2(func(yield func(int, float64) bool) {
		for yield(1, 2) {
		}
	})
	defer stop2()
	next2()
	fn := func() {}
	green.Do(fn)
	for name, f := range map[string]func(){
		"Resume and Yield, int":    func() { c.Resume(1) },
		"Resume and Yield, string": func() { s.Resume("a") },
		"next":                     func() { next() },
		"next of Pull2":            func() { next2() },
		"Do":                       func() { green.Do(fn) },
	} {
		if name == "Do" && !green.Backend().Native {
			continue
		}
		if n := testing.AllocsPerRun(1000, f); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}
