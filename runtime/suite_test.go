package runtime

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"time"
)

// One suite for all primitives: each test runs with goroutines only, with green
// threads on 1, 2 and 8 carriers, and with both mixed, and each of these with
// GOMAXPROCS 1, 2 and 8 (and all of it again on the portable backend, see TestMain).

// A world is who calls the primitives.
type world struct {
	t    *testing.T
	rt   *Runtime // nil: only goroutines
	both bool     // every other client is a goroutine
}

// everywhere runs test in each world, under a watchdog.
func everywhere(t *testing.T, test func(t *testing.T, w *world)) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, procs := range []int{1, 2, 8} {
		runtime.GOMAXPROCS(procs)
		for _, carriers := range []int{0, 1, 2, 8} {
			for _, both := range []bool{false, true} {
				if both && carriers != 1 && carriers != 2 {
					continue
				}
				name := fmt.Sprintf("procs=%d/carriers=%d", procs, carriers)
				if both {
					name += "/both"
				}
				t.Run(name, func(t *testing.T) {
					watch(t)
					w := &world{t: t, both: both}
					if carriers > 0 {
						w.rt = runtimeOf(t, carriers)
					}
					test(t, w)
				})
			}
		}
	}
}

// A watchdog ends the process, and shows what all threads and goroutines do, when a test
// has not moved for a long time.
type watchdog struct {
	timer    *time.Timer
	patience time.Duration
}

// watch starts a watchdog, which is content if the test ends in time. A long one says that it
// moves.
func watch(t *testing.T) *watchdog {
	t.Helper()
	d := &watchdog{patience: 40 * time.Second}
	if more, err := time.ParseDuration(os.Getenv("GREENTHREAD_STRESS")); err == nil {
		d.patience += more
	}
	d.timer = time.AfterFunc(d.patience, func() {
		for _, r := range runtimesOf() {
			_ = r.Dump(os.Stderr)
			fmt.Fprintf(os.Stderr, "%+v\n\n", r.Stats())
		}
		debug.SetTraceback("all")
		panic("watchdog: " + t.Name() + " does not move")
	})
	t.Cleanup(func() { d.timer.Stop() })
	return d
}

// moves makes d as patient as it was at the beginning.
func (d *watchdog) moves() { d.timer.Reset(d.patience) }

// start starts client number i.
func (w *world) start(i int, fn func()) {
	if w.rt == nil || w.both && i%2 == 1 {
		go fn()
		return
	}
	start(w.t, w.rt, fn)
}

// together runs n clients and waits for their end.
func (w *world) together(n int, client func(i int)) {
	w.t.Helper()
	w.started(n, client)()
}

// started starts n clients, and returns a function that waits for their end.
func (w *world) started(n int, client func(i int)) (wait func()) {
	var wg sync.WaitGroup
	wg.Add(n)
	for i := range n {
		w.start(i, func() {
			defer wg.Done()
			client(i)
		})
	}
	return wg.Wait
}

// alone runs fn as a client.
func (w *world) alone(fn func()) { w.together(1, func(int) { fn() }) }

// soon is a context that ends some time between now and very soon.
func soon(round int) (context.Context, context.CancelFunc) {
	if round%5 == 0 {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		return ctx, cancel
	}
	return context.WithTimeout(context.Background(), time.Duration(round%5)*15*time.Microsecond)
}

// queued waits until that many wait in q.
func queued(l *spin, q *queue, n int) {
	for {
		l.lock()
		length := q.length
		l.unlock()
		if length == n {
			return
		}
		time.Sleep(20 * time.Microsecond)
	}
}

// rounds is n, or less where that would take long.
func rounds(n int) int {
	if raceEnabled {
		n /= 4
	}
	if backend().Native && os.Getenv("GREENTHREAD_STRESS") != "" {
		n *= 20
	}
	return n
}

// message returns what f panics with, as text, "" if it does not.
func message(f func()) (text string) {
	defer func() {
		if v := recover(); v != nil {
			text = fmt.Sprint(v)
		}
	}()
	f()
	return ""
}

func wantMessage(t *testing.T, want string, f func()) {
	t.Helper()
	if got := message(f); got != want {
		t.Errorf("panics with %q, want %q", got, want)
	}
}

func wantErr(t *testing.T, err, want error) {
	t.Helper()
	if err != want {
		t.Errorf("error %v, want %v", err, want)
	}
}

// wantNoAllocations fails if f, which is run as a thread and as a goroutine,
// allocates.
func wantNoAllocations(t *testing.T, what string, f func()) {
	t.Helper()
	if raceEnabled {
		return // the detector allocates
	}
	if n := testing.AllocsPerRun(100, f); n != 0 {
		t.Errorf("%s by a goroutine: %v allocations", what, n)
	}
	join(t, start(t, runtimeOf(t, 1), func() {
		if !backend().Native {
			return // to find the thread is to read a stack trace
		}
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s by a thread: %v allocations", what, n)
		}
	}))
}
