package runtime

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestCloseTellsWaitsAndCounts closes a runtime with threads that run, park, sleep and
// block in Go; each looks at its context in its own way.
func TestCloseTellsWaitsAndCounts(t *testing.T) {
	watch(t)
	r, err := New(Config{Carriers: 2})
	if err != nil {
		t.Fatal(err)
	}
	var told atomic.Int64
	tell := func() {
		if context.Cause(Context()) == ErrRuntimeClosed {
			told.Add(1)
		}
	}
	hold := make(chan bool) // until then they do not look
	var holding atomic.Bool
	holding.Store(true)
	running := start(t, r, func() {
		for holding.Load() || Context().Err() == nil {
		}
		tell()
	})
	parked := start(t, r, func() {
		for holding.Load() {
			Park()
		}
		ParkContext(Context())
		tell()
	})
	sleeping := start(t, r, func() {
		for holding.Load() {
			Sleep(200 * time.Millisecond)
		}
		SleepContext(Context(), time.Hour)
		tell()
	})
	blocked := start(t, r, func() {
		<-hold
		<-Context().Done()
		tell()
	})
	for parked.Waits() != WaitPark || sleeping.Waits() != WaitSleep || backend().Native && !blocked.task.blocked() || running.State() != StateRunning {
		time.Sleep(time.Millisecond)
	}
	for range 2 { // an error does not keep it from being closed again
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		err = r.Close(ctx)
		cancel()
		want := "greenthread: Close: 4 threads left: 1 blocked in Go, 1 running, 1 waiting (park), 1 waiting (sleep): context deadline exceeded"
		if !backend().Native {
			want = "greenthread: Close: 4 threads left: 2 running, 1 waiting (park), 1 waiting (sleep): context deadline exceeded"
		}
		if err == nil || err.Error() != want || !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("%v\nwant %s", err, want)
		}
	}
	if _, err := r.Go(func() {}); err != ErrRuntimeClosed {
		t.Errorf("Go after Close: %v", err)
	}
	holding.Store(false)
	close(hold)
	parked.Unpark()
	for range 2 { // closing twice is fine
		closeSoon(t, r)
	}
	if told.Load() != 4 {
		t.Errorf("%d of 4 were told", told.Load())
	}
	join(t, running, parked, sleeping, blocked)
}

// TestCloseWithOneThatNeverEnds gives up, and says so each time.
func TestCloseWithOneThatNeverEnds(t *testing.T) {
	watch(t)
	r, err := New(Config{Carriers: 1})
	if err != nil {
		t.Fatal(err)
	}
	stubborn := start(t, r, Park)
	for stubborn.Waits() != WaitPark {
		time.Sleep(time.Millisecond)
	}
	gone, cancel := context.WithCancelCause(context.Background())
	cancel(errBroken)
	if err := r.Close(gone); !errors.Is(err, errBroken) || !strings.Contains(err.Error(), "1 thread left: 1 waiting (park)") {
		t.Error(err)
	}
	errs := make(chan error)
	const closers = 3
	for range closers {
		go func() { errs <- r.Close(context.Background()) }()
	}
	time.Sleep(5 * time.Millisecond)
	stubborn.Unpark()
	for range closers {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

// TestNothingIsLeftAfterClose counts goroutines: carriers, spares, monitor, anchors, and
// who looks for deadlocks.
func TestNothingIsLeftAfterClose(t *testing.T) {
	watch(t)
	goroutines := func() int {
		n := 1 << 30
		for range 20 { // those of other tests may be on their way
			n = min(n, runtime.NumGoroutine())
			time.Sleep(time.Millisecond)
		}
		return n
	}
	before := goroutines()
	for range 5 {
		r, err := New(Config{Carriers: 3})
		if err != nil {
			t.Fatal(err)
		}
		release := make(chan bool)
		var threads []*Thread
		for i := range 100 {
			threads = append(threads, start(t, r, func() {
				switch i % 4 {
				case 0:
					<-release // spares come
				case 1:
					Sleep(time.Millisecond)
				case 2:
					runtime.Goexit()
				default:
					ParkTimeout(time.Millisecond)
				}
			}))
		}
		ticker := r.NewTicker(time.Millisecond) // nobody stops it
		ticker.C.Recv()
		r.AfterFunc(time.Hour, func() {})
		time.Sleep(5 * time.Millisecond)
		close(release)
		join(t, threads...)
		closeSoon(t, r)
	}
	for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			text := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, %d before\n%s", runtime.NumGoroutine(), before, text[:runtime.Stack(text, true)])
		}
	}
}
