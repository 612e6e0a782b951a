package runtime_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/trace"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	green "greenthread/runtime"
)

// parseTrace has Go's own tool read a trace, and returns its text.
func parseTrace(t *testing.T, text []byte) string {
	t.Helper()
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip(err)
	}
	file := filepath.Join(t.TempDir(), "trace")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	output, err := runChild(t, exec.Command(goTool, "tool", "trace", "-d=parsed", file))
	if err != nil {
		if strings.Contains(output, "no such tool") {
			t.Skip(output)
		}
		t.Fatalf("%v\n%s", err, output[max(0, len(output)-2000):])
	}
	return output
}

// TestTraceOfGreenThreadsParses traces threads that yield, park, sleep, and wait for one
// another, with tasks and regions in them, of which some are open while the thread moves.
func TestTraceOfGreenThreadsParses(t *testing.T) {
	if trace.IsEnabled() {
		t.Skip("the tracer runs already")
	}
	r, err := green.New(green.Config{Carriers: 2})
	if err != nil {
		t.Fatal(err)
	}
	var early []*green.Thread // they begin before the trace, and end after its start
	for range 4 {
		th, err := r.Go(func() { green.Park(); green.Yield() })
		if err != nil {
			t.Fatal(err)
		}
		early = append(early, th)
	}
	var b bytes.Buffer
	if err := trace.Start(&b); err != nil {
		t.Skip(err)
	}
	var m green.Mutex
	c := green.NewChan[int](1)
	sum := 0
	const threads, rounds = 8, 20
	var all []*green.Thread
	for n := range threads {
		th, err := r.Go(func() {
			ctx, task := trace.NewTask(context.Background(), fmt.Sprint("task of ", n))
			defer task.End()
			for i := range rounds {
				trace.WithRegion(ctx, "a round", func() {
					m.Lock()
					sum++
					green.Yield()
					m.Unlock()
					trace.Log(ctx, "round", fmt.Sprint(i))
				})
				if n%2 == 0 {
					c.Send(i)
				} else if _, ok := c.Recv(); !ok {
					t.Error("closed")
				}
				if i%10 == 0 {
					green.Sleep(100 * time.Microsecond)
					time.Sleep(10 * time.Microsecond)
				}
				co := green.NewCoroutine(echo)
				if v, err := co.Resume(i); err != nil || v != i {
					t.Error(v, err)
				}
				if err := co.Close(); err != nil {
					t.Error(err)
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, th)
	}
	for _, th := range early {
		th.Unpark()
	}
	for _, th := range append(early, all...) {
		if err := th.Join(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	trace.Stop()
	wantError(t, r.Close(context.Background()), nil)
	if sum != threads*rounds {
		t.Errorf("%d rounds, want %d", sum, threads*rounds)
	}
	output := parseTrace(t, b.Bytes())
	for what, want := range map[string]int{"TaskBegin": threads, "TaskEnd": threads, "RegionBegin": threads * rounds, "RegionEnd": threads * rounds} {
		if got := strings.Count(output, " "+what+" "); got != want {
			t.Errorf("%d times %s in the trace, want %d", got, what, want)
		}
	}
}

// TestGreenThreadsInABubble: a runtime that is made in a bubble serves there, by the
// bubble's time; the default one, and any from outside, is refused.
func TestGreenThreadsInABubble(t *testing.T) {
	outside, err := green.New(green.Config{Carriers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer outside.Close(context.Background())
	synctest.Test(t, func(t *testing.T) {
		if green.Backend().Native {
			_, err := green.Go(func() {})
			wantError(t, err, green.ErrBubble)
			_, err = outside.Go(func() {})
			wantError(t, err, green.ErrBubble)
			_, err = green.Default()
			wantError(t, err, green.ErrBubble)
		}
		inside, err := green.New(green.Config{})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		var woken time.Duration
		sleeper, err := inside.Go(func() {
			green.Sleep(time.Hour)
			green.Yield()
			green.Park()
			woken = time.Since(start)
		})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // returns at once if it sees all durably blocked
		time.Sleep(2 * time.Hour)
		sleeper.Unpark()
		wantError(t, sleeper.Join(context.Background()), nil)
		if woken != 2*time.Hour {
			t.Errorf("woken after %v", woken)
		}
		wantError(t, inside.Close(context.Background()), nil)
	})
	th, err := outside.Go(green.Yield) // nothing is lost
	if err != nil {
		t.Fatal(err)
	}
	wantError(t, th.Join(context.Background()), nil)
}
