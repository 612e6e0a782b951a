package runtime

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"greenthread/asm"
)

// ignoreTheTest lets deadlocks be seen though there are the goroutines and timers of the
// test itself. That these count elsewhere is tested in child processes.
func ignoreTheTest(t *testing.T) {
	if !asm.KnowsGoTimers() {
		t.Skip("deadlocks are not seen with this version of Go")
	}
	deadlocks.discount.Store(1 << 40)
	deadlocks.ignoreTimers.Store(true)
	t.Cleanup(func() {
		deadlocks.discount.Store(0)
		deadlocks.ignoreTimers.Store(false)
	})
}

func TestDeadlockIsReportedOncePerEpisode(t *testing.T) {
	watch(t)
	ignoreTheTest(t)
	reports := make(chan *DeadlockError, 10)
	r, err := New(Config{Carriers: 2, OnDeadlock: func(e *DeadlockError) { reports <- e }})
	if err != nil {
		t.Fatal(err)
	}
	const episodes = 3
	th := start(t, r, func() {
		for range episodes {
			Park()
		}
	}, WithName("parks"))
	for range episodes {
		e := <-reports
		if e.Threads != 1 || !errors.Is(e, ErrDeadlock) || !strings.Contains(string(e.Dump), `"parks": waiting (park) for `) {
			t.Errorf("%v\n%s", e, e.Dump)
		}
		time.Sleep(4 * firstLook)
		if n := len(reports); n != 0 {
			t.Errorf("%d reports more", n)
		}
		th.Unpark()
	}
	join(t, th)
	closeSoon(t, r)
}

func closeSoon(t *testing.T, r *Runtime) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := r.Close(ctx); err != nil {
		t.Error(err)
	}
}

// TestDeadlockIsNotReportedWhileThereIsHope has a thread that parks, beside something
// that could wake it.
func TestDeadlockIsNotReportedWhileThereIsHope(t *testing.T) {
	watch(t)
	ignoreTheTest(t) // which skips it where it cannot be
	other := runtimeOf(t, 1)
	hopes := map[string]func(t *testing.T, r *Runtime) (end func()){
		"a context": func(t *testing.T, r *Runtime) func() {
			ctx, cancel := context.WithCancel(context.Background())
			th := start(t, r, func() { ParkContext(ctx) })
			return func() { cancel(); join(t, th) }
		},
		"a context of a goroutine": func(t *testing.T, r *Runtime) func() {
			ctx, cancel := context.WithCancel(context.Background())
			done := make(chan bool)
			go func() { NewChan[int](0).RecvContext(ctx); close(done) }()
			return func() { cancel(); <-done }
		},
		"a deadline": func(t *testing.T, r *Runtime) func() {
			th := start(t, r, func() { ParkTimeout(time.Hour) })
			return func() { th.Unpark(); join(t, th) }
		},
		"a timer": func(t *testing.T, r *Runtime) func() {
			tm := r.AfterFunc(time.Hour, func() {})
			return func() { tm.Stop() }
		},
		"one that blocks in Go": func(t *testing.T, r *Runtime) func() {
			c := make(chan bool)
			th := start(t, r, func() { <-c })
			return func() { close(c); join(t, th) }
		},
		"one that runs": func(t *testing.T, r *Runtime) func() {
			c := make(chan bool)
			th := start(t, r, func() {
				for len(c) == 0 {
					select {
					case <-c:
						return
					default:
					}
				}
			})
			return func() { close(c); join(t, th) }
		},
		"one of another runtime": func(t *testing.T, r *Runtime) func() {
			c := make(chan bool)
			th := start(t, other, func() { <-c })
			return func() { close(c); join(t, th) }
		},
	}
	for name, hope := range hopes {
		t.Run(name, func(t *testing.T) {
			reports := make(chan *DeadlockError, 10)
			r, err := New(Config{Carriers: 1, OnDeadlock: func(e *DeadlockError) { reports <- e }})
			if err != nil {
				t.Fatal(err)
			}
			end := hope(t, r)
			ignoreTheTest(t)
			parked := start(t, r, Park)
			time.Sleep(3 * firstLook)
			select {
			case e := <-reports:
				t.Errorf("reported:\n%s", e.Dump)
			default:
			}
			end()
			if e := <-reports; e.Threads != 1 {
				t.Errorf("in the end %d threads:\n%s", e.Threads, e.Dump)
			}
			parked.Unpark()
			join(t, parked)
			closeSoon(t, r)
		})
	}
}
