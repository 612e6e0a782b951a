package runtime

import (
	"context"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestAfterFuncStartsAThread(t *testing.T) {
	watch(t)
	r := runtimeOf(t, 1)
	c := make(chan *Thread, 1)
	began := time.Now()
	var creator runtime.Frame
	r.AfterFunc(5*time.Millisecond, func() {
		creator = Current().Creator()
		c <- Current()
	})
	th := <-c
	if d := time.Since(began); d < 5*time.Millisecond {
		t.Errorf("after %v", d)
	}
	if th == nil || th.task.rt != r {
		t.Fatalf("it runs on %v", th)
	}
	if creator.Function != "greenthread/runtime.TestAfterFuncStartsAThread" {
		t.Errorf("created by %q", creator.Function)
	}
	r.AfterFunc(-time.Hour, func() { c <- Current() })
	join(t, <-c, start(t, r, func() {
		AfterFunc(0, func() { c <- Current() })
		if th := <-c; th.task.rt != r {
			t.Error("a thread's AfterFunc is of another runtime")
		}
	}))
	wantMessage(t, "greenthread: AfterFunc: the function is nil", func() { r.AfterFunc(0, nil) })
}

func TestTimersAreStoppedAndReset(t *testing.T) {
	watch(t)
	r := runtimeOf(t, 1)
	var ran atomic.Int64
	ends := func(n int64) {
		t.Helper()
		for ran.Load() < n {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(3 * time.Millisecond)
		if ran.Load() != n {
			t.Errorf("it ran %d times, want %d", ran.Load(), n)
		}
	}
	tm := r.AfterFunc(time.Hour, func() { ran.Add(1) })
	if !tm.Stop() || tm.Stop() {
		t.Error("it can be stopped once")
	}
	if tm.Reset(time.Hour) || !tm.Reset(time.Millisecond) {
		t.Error("Reset does not tell whether it waited")
	}
	ends(1)
	if tm.Stop() || tm.Reset(0) {
		t.Error("it waits after its end")
	}
	ends(2)
	if s := r.Stats(); s.Timers != 0 {
		t.Errorf("%d timers", s.Timers)
	}
}

// TestStopOrRun lets the time come and Stop race: exactly one wins.
func TestStopOrRun(t *testing.T) {
	watch(t)
	r := runtimeOf(t, 2)
	var ran, stopped atomic.Int64
	n := rounds(2000)
	for i := range n {
		tm := r.AfterFunc(time.Duration(i%50)*time.Microsecond, func() { ran.Add(1) })
		for range i % 100 {
			runtime.Gosched()
		}
		if tm.Stop() {
			stopped.Add(1)
		}
	}
	for deadline := time.Now().Add(10 * time.Second); ran.Load()+stopped.Load() < int64(n) && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	if ran.Load()+stopped.Load() != int64(n) {
		t.Errorf("%d ran and %d were stopped of %d", ran.Load(), stopped.Load(), n)
	}
}

func TestTickerTicks(t *testing.T) {
	watch(t)
	r := runtimeOf(t, 1)
	began := time.Now()
	ticker := r.NewTicker(2 * time.Millisecond)
	join(t, start(t, r, func() {
		last := began
		for i := range 5 {
			now, ok := ticker.C.Recv()
			if !ok || !now.After(last) {
				t.Errorf("tick %d: %v after %v, %v", i, now, last, ok)
			}
			last = now
		}
	}))
	if d := time.Since(began); d < 10*time.Millisecond {
		t.Errorf("five ticks in %v", d)
	}
	time.Sleep(10 * time.Millisecond) // nobody receives
	ticker.Stop()
	n := 0
	for {
		if _, _, done := ticker.C.TryRecv(); !done {
			break
		}
		n++
	}
	if n != 1 {
		t.Errorf("%d ticks wait for a slow receiver", n)
	}
	time.Sleep(6 * time.Millisecond)
	if _, _, done := ticker.C.TryRecv(); done || r.Stats().Timers != 0 {
		t.Error("it ticks after Stop")
	}
	ticker.Reset(time.Millisecond)
	if _, ok := ticker.C.Recv(); !ok {
		t.Error("no tick after Reset")
	}
	ticker.Stop()
	wantMessage(t, "greenthread: a ticker of 0s, it must be more than 0", func() { r.NewTicker(0) })
	wantMessage(t, "greenthread: a ticker of -1ns, it must be more than 0", func() { ticker.Reset(-1) })
}

// TestTickersTickWhileTheRuntimeCloses: a thread that waits for a tick to look at its context
// can end.
func TestTickersTickWhileTheRuntimeCloses(t *testing.T) {
	watch(t)
	r, err := New(Config{Carriers: 1})
	if err != nil {
		t.Fatal(err)
	}
	ticker := r.NewTicker(time.Millisecond)
	start(t, r, func() {
		for range ticker.C.All() {
			if Context().Err() != nil {
				return
			}
		}
	})
	r.AfterFunc(20*time.Millisecond, func() { t.Error("AfterFunc runs after Close") })
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := r.Close(ctx); err != nil {
		t.Error(err)
	}
	time.Sleep(30 * time.Millisecond)
}

// TestTickersTickWhileTheyAreReceived: who looks after timers may be on its way to wait for
// the very tick.
func TestTickersTickWhileTheyAreReceived(t *testing.T) {
	watch(t)
	r := runtimeOf(t, 2)
	ticker := r.NewTicker(1)
	defer ticker.Stop()
	var threads []*Thread
	for range 3 {
		threads = append(threads, start(t, r, func() {
			for range rounds(3000) {
				ticker.C.Recv()
			}
		}))
	}
	join(t, threads...)
}

func TestTickerUnderStopAndReset(t *testing.T) {
	watch(t)
	r := runtimeOf(t, 2)
	ticker := r.NewTicker(50 * time.Microsecond)
	for i := range rounds(400) {
		switch i % 4 {
		case 0:
			ticker.Stop()
			ticker.C.TryRecv()
			if _, _, done := ticker.C.TryRecv(); done {
				t.Fatal("a tick after Stop")
			}
			ticker.Reset(30 * time.Microsecond)
		case 1:
			ticker.Reset(time.Duration(1+i%7) * 10 * time.Microsecond)
		default:
			if _, ok := ticker.C.Recv(); !ok {
				t.Fatal("closed")
			}
		}
	}
	ticker.Stop()
	if n := r.Stats().Timers; n != 0 {
		t.Errorf("%d timers", n)
	}
}

// TestManyTimers has as many as 1,000,000 at a time, with GREENTHREAD_STRESS.
func TestManyTimers(t *testing.T) {
	watch(t)
	n := 50_000
	if os.Getenv("GREENTHREAD_STRESS") != "" && !raceEnabled {
		n = 1_000_000
	}
	r := runtimeOf(t, 2)
	var before, during runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var ran atomic.Int64
	fn := func() { ran.Add(1) }
	timers := make([]*Timer, n)
	for i := range timers {
		timers[i] = r.AfterFunc(time.Hour+time.Duration(i*7919%n)*time.Millisecond, fn)
	}
	runtime.GC()
	runtime.ReadMemStats(&during)
	if got := r.Stats().Timers; got != n {
		t.Errorf("%d timers, want %d", got, n)
	}
	each := (int64(during.HeapAlloc) - int64(before.HeapAlloc)) / int64(n)
	t.Logf("%d timers, %d bytes of heap each", n, each)
	if each > 400 && !raceEnabled {
		t.Errorf("a timer takes %d bytes", each)
	}
	for i, tm := range timers {
		switch i % 3 {
		case 0:
			if !tm.Stop() {
				t.Fatalf("timer %d was not waiting", i)
			}
		case 1:
			if !tm.Reset(time.Duration(i%20) * time.Millisecond) {
				t.Fatalf("timer %d was not waiting", i)
			}
		default:
			if !tm.Reset(0) {
				t.Fatalf("timer %d was not waiting", i)
			}
		}
	}
	for ran.Load() < int64(n-(n+2)/3) {
		time.Sleep(time.Millisecond)
	}
	if got := r.Stats().Timers; got != 0 {
		t.Errorf("%d timers at the end", got)
	}
}

// TestSimulatedTickersAndTimers leap in time like the others.
func TestSimulatedTickersAndTimers(t *testing.T) {
	watch(t)
	ran := false
	err := Simulate(1, func() {
		began := Now()
		ticker := NewTicker(time.Hour) // nobody stops it
		for i := range 3 {
			if at, _ := ticker.C.Recv(); at.Sub(began) != time.Duration(i+1)*time.Hour {
				panic(at)
			}
		}
		var wg WaitGroup
		wg.Add(1)
		AfterFunc(90*time.Minute, func() { ran = Now().Sub(began) == 270*time.Minute; wg.Done() })
		wg.Wait()
	})
	if err != nil || !ran {
		t.Errorf("%v, %v", err, ran)
	}
}

// benchmarkAfterFunc reports how late 10,000 functions run that are due at random times
// within 100 ms.
func benchmarkAfterFunc(b *testing.B, afterFunc func(d time.Duration, fn func())) {
	const n, most = 10_000, 100 * time.Millisecond
	late := make([]time.Duration, 0, n*b.N)
	for range b.N {
		all := make([]time.Duration, n)
		var wg sync.WaitGroup
		wg.Add(n)
		for i := range n {
			d := rand.N(most)
			due := time.Now().Add(d)
			afterFunc(d, func() {
				all[i] = time.Since(due)
				wg.Done()
			})
		}
		wg.Wait()
		late = append(late, all...)
	}
	slices.Sort(late)
	b.ReportMetric(float64(late[len(late)/2]), "p50-ns-late")
	b.ReportMetric(float64(late[len(late)*99/100]), "p99-ns-late")
}

func BenchmarkAfterFuncLateness(b *testing.B) {
	r := runtimeOf(b, 0)
	benchmarkAfterFunc(b, func(d time.Duration, fn func()) { r.AfterFunc(d, fn) })
}

func BenchmarkTimeAfterFuncLateness(b *testing.B) {
	benchmarkAfterFunc(b, func(d time.Duration, fn func()) { time.AfterFunc(d, fn) })
}
