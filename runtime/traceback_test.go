package runtime_test

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strings"
	"testing"

	green "greenthread/runtime"
)

// What debuggers, profiles and crash reports show of a coroutine.

//go:noinline
func stackFromInside() string { return string(debug.Stack()) }

//go:noinline
func allStacksFromInside() string {
	buf := make([]byte, 1<<20)
	return string(buf[:runtime.Stack(buf, true)])
}

//go:noinline
func createdHere(body func(green.Yielder[int, int], int) int) *green.Coroutine[int, int] {
	return green.NewCoroutine(body)
}

//go:noinline
func createdThere(body func(green.Yielder[int, int], int) int) *green.Coroutine[int, int] {
	return green.NewCoroutine(body)
}

// goroutineWith returns the part of a dump of all stacks that contains name.
func goroutineWith(stacks, name string) string {
	for _, g := range strings.Split(stacks, "\n\n") {
		if strings.Contains(g, name) {
			return g
		}
	}
	return ""
}

func TestStackFromInsideShowsTheBody(t *testing.T) {
	creators := []func(func(green.Yielder[int, int], int) int) *green.Coroutine[int, int]{createdHere, createdThere}
	for i := range 6 { // with warm threads, too
		stacks := map[string]string{}
		c := creators[i%2](func(y green.Yielder[int, int], in int) int {
			stacks["debug.Stack"] = stackFromInside()
			stacks["runtime.Stack"] = goroutineWith(allStacksFromInside(), "allStacksFromInside")
			y.Yield(0)
			stacks["after a switch"] = stackFromInside()
			y.Yield(0)
			stacks["after two switches"] = stackFromInside()
			return 0
		})
		for !c.Done() {
			must2(c.Resume(0))(t)
		}
		creator := []string{"createdHere", "createdThere"}[i%2]
		for name, stack := range stacks {
			if !strings.Contains(stack, "FromInside") || !strings.Contains(stack, "TestStackFromInsideShowsTheBody.func") {
				t.Errorf("%s does not show the body:\n%s", name, stack)
			}
			if green.Backend().Native && !strings.Contains(stack, "created by greenthread/runtime_test."+creator+" in goroutine ") {
				t.Errorf("%s does not show that %s has created it:\n%s", name, creator, stack)
			}
			if strings.Contains(stack, "unexpected") || strings.Contains(stack, "unknown pc") {
				t.Errorf("%s is broken:\n%s", name, stack)
			}
		}
		if len(stacks) != 4 {
			t.Error(len(stacks))
		}
	}
}

func TestStackShowsWhoCalledPullAndDo(t *testing.T) {
	needNative(t)
	for range 3 {
		var stack string
		next, stop := green.Pull(func(yield func(int) bool) { stack = stackFromInside(); yield(1) })
		next()
		stop()
		want := "created by greenthread/runtime_test.TestStackShowsWhoCalledPullAndDo in goroutine "
		if !strings.Contains(stack, want) {
			t.Errorf("Pull:\n%s", stack)
		}
		next2, stop2 := green.Pull2(func(yield func(int, int) bool) { stack = stackFromInside(); yield(1, 1) })
		next2()
		stop2()
		if !strings.Contains(stack, want) {
			t.Errorf("Pull2:\n%s", stack)
		}
		stack = ""
		wantError(t, green.Do(func() { stack = stackFromInside() }), nil)
		if !strings.Contains(stack, want) {
			t.Errorf("Do:\n%s", stack)
		}
		wantError(t, green.Do(func() { stack = stackFromInside() }, green.WithName("named")), nil)
		if !strings.Contains(stack, want) {
			t.Errorf("Do with options:\n%s", stack)
		}
	}
}

//go:noinline
func suspendedHere(y green.Yielder[int, int]) { y.Yield(1) }

func TestDumpShowsSuspendedBodiesAndResumers(t *testing.T) {
	c := createdHere(func(y green.Yielder[int, int], in int) int {
		for {
			suspendedHere(y)
		}
	})
	defer c.Close()
	for i := range 4 {
		must2(c.Resume(0))(t)
		if i%2 == 0 {
			runtime.GC()
		}
		g := goroutineWith(allStacksFromInside(), "suspendedHere")
		if g == "" {
			t.Fatalf("a suspended body is not shown:\n%s", allStacksFromInside())
		}
		if green.Backend().Native && (!strings.Contains(g, "[coroutine") || !strings.Contains(g, "createdHere")) {
			t.Errorf("a suspended body is shown as\n%s", g)
		}
	}
	var stacks string
	waiting := green.NewCoroutine(func(y green.Yielder[int, int], in int) int {
		y.Yield(0)
		stacks = allStacksFromInside()
		return 0
	})
	must2(waiting.Resume(0))(t)
	resumesHere(waiting)
	if g := goroutineWith(stacks, "resumesHere"); g == "" || !strings.Contains(g, "TestDumpShowsSuspendedBodiesAndResumers") {
		t.Errorf("the resumer is not shown in\n%s", stacks)
	}
}

func TestProfilesWalkThroughBodies(t *testing.T) {
	c := createdHere(func(y green.Yielder[int, int], in int) int {
		for {
			suspendedHere(y)
		}
	})
	defer c.Close()
	seen := 0
	for range 4 {
		must2(c.Resume(0))(t)
		var b bytes.Buffer
		for range 2 { // the first after a switch may show it without a stack
			b.Reset()
			if err := pprof.Lookup("goroutine").WriteTo(&b, 1); err != nil {
				t.Fatal(err)
			}
		}
		if strings.Contains(b.String(), "suspendedHere") {
			seen++
		}
	}
	if seen == 0 {
		t.Error("no goroutine profile shows the body")
	}
}

// label returns the value of the running goroutine's profiler label "key".
func label() string {
	var b bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&b, 1); err != nil {
		return err.Error()
	}
	// A record is a block of lines: counts, labels, and the frames.
	for _, record := range strings.Split(b.String(), "\n\n") {
		if strings.Contains(record, "runtime_test.label") {
			_, labels, _ := strings.Cut(record, "# labels: ")
			labels, _, _ = strings.Cut(labels, "\n")
			return labels
		}
	}
	return "not found"
}

func TestLabelsOfTheResumerAreVisibleInside(t *testing.T) {
	ctx := context.Background()
	for range 3 {
		for _, value := range []string{"", "one", "two", ""} {
			want := ""
			if value != "" {
				want = fmt.Sprintf("{%q:%q}", "key", value)
			}
			run := func(context.Context) {
				c := green.NewCoroutine(func(y green.Yielder[int, string], in int) string {
					y.Yield(label())
					return label()
				})
				for range 2 {
					if got := must2(c.Resume(0))(t); got != want {
						t.Errorf("label inside %q, want %q", got, want)
					}
				}
				wantError(t, green.Do(func() {
					if got := label(); got != want {
						t.Errorf("label inside Do %q, want %q", got, want)
					}
				}), nil)
			}
			if value == "" {
				run(ctx)
			} else {
				pprof.Do(ctx, pprof.Labels("key", value), run)
			}
			if got := label(); got != "" {
				t.Errorf("label of the resumer afterwards: %q", got)
			}
		}
	}
}

func TestLabelsSetInsideAreGoneLater(t *testing.T) {
	ctx := pprof.WithLabels(context.Background(), pprof.Labels("key", "left behind"))
	for range 3 {
		c := green.NewCoroutine(func(y green.Yielder[int, string], in int) string {
			before := label()
			pprof.SetGoroutineLabels(ctx)
			if got := label(); got != `{"key":"left behind"}` {
				t.Errorf("label inside: %q", got)
			}
			return before
		})
		if got := must2(c.Resume(0))(t); got != "" {
			t.Errorf("label of somebody else: %q", got)
		}
		var before string
		wantError(t, green.Do(func() { before = label(); pprof.SetGoroutineLabels(ctx) }), nil)
		if before != "" {
			t.Errorf("label of somebody else in Do: %q", before)
		}
		if got := label(); got != "" {
			t.Errorf("label of the resumer: %q", got)
		}
	}
}

// TestPanicOnFaultEndsWithTheBody: debug.SetPanicOnFault holds for a goroutine,
// and a body is to find the default.
func TestPanicOnFaultEndsWithTheBody(t *testing.T) {
	for range 3 {
		for _, run := range []func(func()){
			func(f func()) { green.Do(f) },
			func(f func()) {
				must2(green.NewCoroutine(func(green.Yielder[int, int], int) int { f(); return 0 }).Resume(0))(t)
			},
		} {
			run(func() {
				if debug.SetPanicOnFault(true) {
					t.Error("panic on fault was left on by somebody else")
				}
			})
		}
	}
}
