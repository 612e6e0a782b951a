package runtime_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"testing"

	green "greenthread/runtime"
)

// The functions below have names to look for in stack traces.

//go:noinline
func panicsHere(v any) int { panic(v) }

//go:noinline
func resumesHere(c *green.Coroutine[int, int]) { c.Resume(0) }

func TestPanicReachesTheResumerWithBothStacks(t *testing.T) {
	for _, steps := range []int{0, 1, 2, 5} { // the first switches go another way than later ones
		for _, value := range []any{"text", 7, errBoom, struct{ A int }{1}, &steps} {
			c := green.NewCoroutine(func(y green.Yielder[int, int], in int) int {
				for range steps {
					y.Yield(0)
				}
				return panicsHere(value)
			}, green.WithName("panicking"))
			for range steps {
				must2(c.Resume(0))(t)
			}
			var stack string
			var got any
			func() {
				defer func() {
					got = recover()
					buf := make([]byte, 1<<14)
					stack = string(buf[:runtime.Stack(buf, false)])
				}()
				resumesHere(c)
			}()
			p, ok := got.(*green.PanicError)
			if !ok || p.Value != value || p.Name != "panicking" {
				t.Fatalf("%d steps: panicked with %T %v", steps, got, got)
			}
			if !strings.Contains(string(p.Stack), "panicsHere") {
				t.Errorf("%d steps: the body's stack does not show where it began:\n%s", steps, p.Stack)
			}
			if !strings.Contains(stack, "resumesHere") {
				t.Errorf("%d steps: the resumer's stack does not show who resumed:\n%s", steps, stack)
			}
			for _, want := range []string{"panicking", fmt.Sprint(value), "panicsHere"} {
				if !strings.Contains(p.Error(), want) {
					t.Errorf("the message lacks %q:\n%s", want, p)
				}
			}
			_, err := c.Resume(0)
			wantError(t, err, green.ErrFinished)
		}
	}
}

func TestErrorsAreFoundInAPanic(t *testing.T) {
	inner := &fs.PathError{Op: "op", Path: "path", Err: os.ErrNotExist}
	c := green.NewCoroutine(func(green.Yielder[int, int], int) int { return panicsHere(fmt.Errorf("wrapped: %w", inner)) })
	p := wantPanic(t, func() { c.Resume(0) })
	var path *fs.PathError
	if !errors.Is(p, os.ErrNotExist) || !errors.As(p, &path) || path != inner {
		t.Errorf("not found in %v", p)
	}
	c = green.NewCoroutine(func(green.Yielder[int, int], int) int { return panicsHere("no error") })
	p = wantPanic(t, func() { c.Resume(0) })
	if p.Unwrap() != nil || errors.Is(p, os.ErrNotExist) {
		t.Error("a text is no error")
	}
	if !strings.HasPrefix(p.Error(), "panic: no error") {
		t.Error(p)
	}
}

// runtimePanics are what Go itself panics with.
var runtimePanics = map[string]func(){
	"nil pointer":    func() { var p *int; *p = 1 },
	"nil function":   func() { var f func(); f() },
	"large offset":   func() { var p *[1 << 30]byte; sink = int(p[1<<29]) },
	"division":       func() { sink = 1 / zero },
	"index":          func() { sink = []int{}[zero] },
	"slice":          func() { sink = len([]int{}[zero+1:]) },
	"conversion":     func() { sink = any("text").(int) },
	"nil map":        func() { var m map[int]int; m[1] = 1 },
	"closed channel": func() { c := make(chan int); close(c); close(c) },
	"make":           func() { sink = len(make([]int, zero-1)) },
	"nil":            func() { panic(nil) },
}

var sink, zero int

func TestRuntimeErrorsReachTheResumer(t *testing.T) {
	for name, fail := range runtimePanics {
		want, _ := recovered(fail).(runtime.Error)
		if want == nil {
			t.Fatal(name)
		}
		for range 3 { // on a warm thread, too
			c := green.NewCoroutine(func(y green.Yielder[int, int], in int) int { y.Yield(0); fail(); return 0 })
			must2(c.Resume(0))(t)
			p := wantPanic(t, func() { c.Resume(0) })
			var got runtime.Error
			if !errors.As(p, &got) || got.Error() != want.Error() {
				t.Errorf("%s: %v, want %v", name, p.Value, want)
			}
		}
	}
	var nilError *runtime.PanicNilError
	c := green.NewCoroutine(func(y green.Yielder[int, int], in int) int { panic(nil) })
	if p := wantPanic(t, func() { c.Resume(0) }); !errors.As(p, &nilError) {
		t.Errorf("%T", p.Value)
	}
}

func TestBodyRecoversWhatItPanicsWith(t *testing.T) {
	c := green.NewCoroutine(func(y green.Yielder[int, string], in int) string {
		for range 3 {
			for name, fail := range runtimePanics {
				if err, _ := recovered(fail).(runtime.Error); err == nil {
					t.Errorf("%s: not recovered", name)
				}
				y.Yield(name)
				func() {
					defer func() {
						if recover() == nil {
							t.Errorf("%s: lost over a switch", name)
						}
					}()
					defer func() { y.Yield(name) }() // while the panic is on
					fail()
				}()
			}
			if v := recovered(func() { panicsHere(errBoom) }); v != errBoom {
				t.Error(v)
			}
		}
		return "end"
	})
	n := 0
	for !c.Done() {
		must2(c.Resume(0))(t)
		n++
	}
	if n != 3*2*len(runtimePanics)+1 {
		t.Errorf("%d resumes", n)
	}
}

func TestPanicInADeferReplacesTheFirst(t *testing.T) {
	c := green.NewCoroutine(func(green.Yielder[int, int], int) int {
		defer func() { panic("second") }()
		panic("first")
	})
	if p := wantPanic(t, func() { c.Resume(0) }); p.Value != "second" {
		t.Error(p.Value)
	}
}

func TestPanicAgainWithTheRecoveredValue(t *testing.T) {
	c := green.NewCoroutine(func(green.Yielder[int, int], int) int {
		defer func() { panic(recover()) }()
		return panicsHere(errBoom)
	})
	if p := wantPanic(t, func() { c.Resume(0) }); p.Value != errBoom {
		t.Error(p.Value)
	}
}

func TestPanicThroughNestedCoroutines(t *testing.T) {
	unwound := 0
	var nested func(depth int) int
	nested = func(depth int) int {
		defer func() { unwound++ }()
		if depth == 0 {
			return panicsHere(errBoom)
		}
		c := green.NewCoroutine(func(green.Yielder[int, int], int) int { return nested(depth - 1) })
		out, _ := c.Resume(0)
		return out
	}
	p := wantPanic(t, func() { nested(10) })
	if !errors.Is(p, errBoom) || unwound != 11 {
		t.Errorf("%d unwound: %v", unwound, p)
	}
	depth := 0
	for v := any(p); ; depth++ {
		inner, ok := v.(*green.PanicError)
		if !ok {
			break
		}
		v = inner.Value
	}
	if depth != 10 {
		t.Errorf("%d panics in each other", depth)
	}
}

func TestGoexitEndsCoroutineAndResumer(t *testing.T) {
	for steps := range 3 {
		deferred := false
		c := green.NewCoroutine(func(y green.Yielder[int, int], in int) int {
			defer func() { deferred = true }()
			for range steps {
				y.Yield(0)
			}
			runtime.Goexit()
			return 0
		})
		for range steps {
			must2(c.Resume(0))(t)
		}
		if !goexits(func() { c.Resume(0) }) {
			t.Error("the resumer went on")
		}
		_, err := c.Resume(0)
		wantError(t, err, green.ErrFinished)
		if !deferred {
			t.Error("deferred calls did not run")
		}
	}
	for range 200 { // threads are used again
		c := green.NewCoroutine(func(y green.Yielder[int, int], in int) int {
			if in%2 == 0 {
				runtime.Goexit()
			}
			return in
		})
		if got := must2(c.Resume(1))(t); got != 1 {
			t.Fatal(got)
		}
		c = green.NewCoroutine(func(y green.Yielder[int, int], in int) int { runtime.Goexit(); return 0 })
		goexits(func() { c.Resume(0) })
	}
}

func TestPanicDuringGoexitWins(t *testing.T) {
	for range 20 {
		c := green.NewCoroutine(func(green.Yielder[int, int], int) int {
			defer func() { panic(errBoom) }()
			runtime.Goexit()
			return 0
		})
		if p := wantPanic(t, func() { c.Resume(0) }); p.Value != errBoom {
			t.Error(p.Value)
		}
		c = green.NewCoroutine(func(green.Yielder[int, int], int) int {
			defer func() { recover() }()
			defer func() { panic(errBoom) }()
			runtime.Goexit()
			return 0
		})
		if !goexits(func() { c.Resume(0) }) {
			t.Error("the recovered panic has ended the Goexit")
		}
		c = green.NewCoroutine(func(green.Yielder[int, int], int) int {
			defer func() { runtime.Goexit() }()
			panic(errBoom)
		})
		if !goexits(func() { c.Resume(0) }) {
			t.Error("Goexit in a deferred call has not ended the panic")
		}
	}
}

// TestFailNowInABody is run by TestFailNowEndsTheTest in a process of its own.
func TestFailNowInABody(t *testing.T) {
	kind := os.Getenv("GREENTHREAD_TEST_FAILNOW")
	if kind == "" {
		t.Skip("for a child process")
	}
	defer fmt.Println("cleanup of the test")
	c := green.NewCoroutine(func(y green.Yielder[int, int], in int) int {
		defer fmt.Println("cleanup of the body")
		y.Yield(0)
		switch kind {
		case "fail":
			t.FailNow()
		case "fatal":
			t.Fatal("told so")
		case "skip":
			t.SkipNow()
		}
		return 0
	})
	for range 2 {
		c.Resume(0)
	}
	fmt.Println("went on")
}

func TestFailNowEndsTheTest(t *testing.T) {
	for kind, want := range map[string]string{
		"fail":  "--- FAIL: TestFailNowInABody",
		"fatal": "told so",
		"skip":  "--- SKIP: TestFailNowInABody",
	} {
		cmd := childRole("", "GREENTHREAD_TEST_FAILNOW="+kind, backendVariable+"="+backendName())
		setArguments(cmd, "-test.run=^TestFailNowInABody$", "-test.v")
		output, err := runChild(t, cmd)
		for _, want := range []string{want, "cleanup of the test", "cleanup of the body"} {
			if !strings.Contains(output, want) {
				t.Errorf("%s: the output lacks %q:\n%s", kind, want, output)
			}
		}
		if strings.Contains(output, "went on") || (err == nil) != (kind == "skip") {
			t.Errorf("%s: %v\n%s", kind, err, output)
		}
	}
}

// A panic that nobody recovers ends the program and shows both stacks.
func init() {
	roles["panic"] = func() {
		c := green.NewCoroutine(func(y green.Yielder[int, int], in int) int {
			y.Yield(0)
			return panicsHere("nobody recovers this")
		}, green.WithName("doomed"))
		c.Resume(0)
		resumesHere(c)
	}
}

func TestUnrecoveredPanicShowsBothStacks(t *testing.T) {
	output, err := runChild(t, childRole("panic"))
	if err == nil {
		t.Error("the child went on")
	}
	for _, want := range []string{"panic in doomed: nobody recovers this", "panicsHere", "resumesHere", "goroutine "} {
		if !strings.Contains(output, want) {
			t.Errorf("the output lacks %q:\n%s", want, output)
		}
	}
}
