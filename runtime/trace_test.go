package runtime_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/trace"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	green "greenthread/runtime"
)

// traced works with coroutines of many kinds until end.
func traced(t *testing.T, end time.Time) {
	shared := make(chan *green.Coroutine[fiveWords, wordAndText], 8)
	var wg sync.WaitGroup
	var switches atomic.Int64
	for g := range 6 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if g == 0 {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
			}
			next, stop := green.Pull(func(yield func(int) bool) {
				inner, stopInner := green.Pull2(func(yield func(int, string) bool) {
					for i := 0; yield(i, fmt.Sprint(i)); i++ {
					}
				})
				defer stopInner()
				for {
					i, text, ok := inner()
					if !ok || text != fmt.Sprint(i) {
						t.Errorf("Pull2 inside Pull: %d, %q, %v", i, text, ok)
					}
					if !yield(i) {
						return
					}
				}
			})
			defer stop()
			for i := 0; time.Now().Before(end); i++ {
				if v, ok := next(); v != i || !ok {
					t.Errorf("next = %d, %v, want %d", v, ok, i)
					return
				}
				var c *green.Coroutine[fiveWords, wordAndText]
				select {
				case c = <-shared:
				default:
					c = green.NewCoroutine(func(y green.Yielder[fiveWords, wordAndText], in fiveWords) wordAndText {
						defer y.Yield(wordAndText{})
						nested := green.NewCoroutine(echo)
						defer nested.Close()
						for n := 0; n < 200; n++ {
							v, err := nested.Resume(in.E)
							if err != nil || v != in.E {
								t.Errorf("nested: %d, %v, want %d", v, err, in.E)
							}
							if n%20 == 0 {
								time.Sleep(10 * time.Microsecond)
							}
							in = y.Yield(wordAndText{in.A, fmt.Sprint(in.B)})
						}
						return wordAndText{}
					})
				}
				for range 10 {
					in := fiveWords{g, i, 0, 0, i ^ g}
					out, err := c.Resume(in)
					if c.Done() {
						break
					}
					if want := (wordAndText{g, fmt.Sprint(i)}); err != nil || out != want && out != (wordAndText{}) {
						t.Errorf("Resume = %v, %v, want %v", out, err, want)
						return
					}
					switches.Add(1)
				}
				n := 0
				if err := green.Do(func() { n++; runtime.Gosched(); n++ }); err != nil || n != 2 {
					t.Errorf("Do: %v, %d", err, n)
				}
				if i%7 == 0 {
					if err := c.Close(); err != nil {
						t.Error(err)
					}
					failing := green.NewCoroutine(func(y green.Yielder[int, int], in int) int { y.Yield(in); panic(in) })
					failing.Resume(3)
					if p, _ := recovered(func() { failing.Resume(4) }).(*green.PanicError); p == nil || p.Value != 3 {
						t.Errorf("panic while tracing: %v", p)
					}
					continue
				}
				select {
				case shared <- c:
				default:
				}
			}
		}()
	}
	wg.Wait()
	if switches.Load() == 0 {
		t.Error("no switches")
	}
}

func traceFor() time.Duration {
	return min(700*time.Millisecond, stressTime())
}

func stressTime() time.Duration {
	if d, err := time.ParseDuration(os.Getenv("GREENTHREAD_STRESS")); err == nil {
		return d
	}
	return time.Second
}

// TestTraceStartsAndStopsWhileCoroutinesSwitch has the tracer begin and end in
// the middle of everything.
func TestTraceStartsAndStopsWhileCoroutinesSwitch(t *testing.T) {
	if trace.IsEnabled() {
		t.Skip("the tracer runs already")
	}
	done := make(chan struct{})
	stop := make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			if err := trace.Start(io.Discard); err != nil {
				t.Error(err)
				return
			}
			time.Sleep(time.Duration(i%5) * time.Millisecond)
			trace.Stop()
			time.Sleep(time.Duration(i%3) * time.Millisecond)
		}
	}()
	traced(t, time.Now().Add(traceFor()))
	close(stop)
	<-done
}

// TestTraceParses traces switches of all kinds and has Go's own tool read it.
func TestTraceParses(t *testing.T) {
	if trace.IsEnabled() {
		t.Skip("the tracer runs already")
	}
	var b bytes.Buffer
	before := green.NewCoroutine(echo) // suspended outside of the trace
	must2(before.Resume(1))(t)
	if err := trace.Start(&b); err != nil {
		t.Skip(err)
	}
	if got := must2(before.Resume(2))(t); got != 2 {
		t.Error(got)
	}
	traced(t, time.Now().Add(20*time.Millisecond))
	wantError(t, before.Close(), nil)
	trace.Stop()
	output := parseTrace(t, b.Bytes())
	if !strings.Contains(output, "StateTransition") {
		t.Errorf("nothing in it:\n%.1000s", output)
	}
}
