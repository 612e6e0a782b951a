package runtime

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"greenthread/stackpool"
)

// runtimeOf makes a runtime and closes it at the end of the test.
func runtimeOf(t testing.TB, carriers int) *Runtime {
	t.Helper()
	r, err := New(Config{Carriers: carriers})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := r.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return r
}

func start(t testing.TB, r *Runtime, fn func(), options ...Option) *Thread {
	t.Helper()
	th, err := r.Go(fn, options...)
	if err != nil {
		t.Fatal(err)
	}
	return th
}

func join(t testing.TB, threads ...*Thread) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for _, th := range threads {
		if err := th.Join(ctx); err != nil {
			buf := make([]byte, 1<<20)
			t.Fatalf("thread %d: %v\n%s", th.ID(), err, buf[:runtime.Stack(buf, true)])
		}
	}
}

func TestThreadsTakeTurns(t *testing.T) {
	for _, carriers := range []int{1, 2, 8} {
		r := runtimeOf(t, carriers)
		var n atomic.Int64
		var threads []*Thread
		for range 100 {
			threads = append(threads, start(t, r, func() {
				for range 1000 {
					n.Add(1)
					Yield()
				}
			}))
		}
		join(t, threads...)
		if n.Load() != 100_000 {
			t.Errorf("%d carriers: %d turns", carriers, n.Load())
		}
	}
}

func TestUnparkBeforeParkIsKept(t *testing.T) {
	r := runtimeOf(t, 1)
	join(t, start(t, r, func() {
		self := Current()
		self.Unpark()
		self.Unpark() // one token at most
		Park()
		if ParkTimeout(time.Millisecond) {
			t.Error("a second token")
		}
		go func() {
			time.Sleep(time.Millisecond)
			self.Unpark()
		}()
		Park()
	}))
}

func TestSleepLeavesTheTokenAlone(t *testing.T) {
	r := runtimeOf(t, 1)
	join(t, start(t, r, func() {
		Current().Unpark()
		began := time.Now()
		Sleep(20 * time.Millisecond)
		if d := time.Since(began); d < 20*time.Millisecond {
			t.Errorf("slept for %v", d)
		}
		if !ParkTimeout(0) {
			t.Error("the token is gone")
		}
	}))
}

func TestExactlyOneOfTimeoutAndUnparkWins(t *testing.T) {
	r := runtimeOf(t, 2)
	const rounds = 2000
	var given, taken atomic.Int64
	var enough, over atomic.Bool
	th := start(t, r, func() {
		for range rounds {
			if ParkTimeout(50 * time.Microsecond) {
				taken.Add(1)
			}
		}
		enough.Store(true)
		for !over.Load() {
			if ParkTimeout(time.Millisecond) {
				taken.Add(1)
			}
		}
		if ParkTimeout(0) { // the last one
			taken.Add(1)
		}
	})
	for given.Load() <= rounds/4 && !enough.Load() {
		if taken.Load() == given.Load() { // so that no two tokens become one
			given.Add(1)
			th.Unpark()
		}
		time.Sleep(40 * time.Microsecond)
	}
	over.Store(true)
	join(t, th)
	if given.Load() != taken.Load() {
		t.Errorf("%d tokens given, %d taken", given.Load(), taken.Load())
	}
}

func TestPingPongAcrossCarriers(t *testing.T) {
	for _, carriers := range []int{1, 2} {
		r := runtimeOf(t, carriers)
		var a, b *Thread
		ready := make(chan struct{})
		const rounds = 20_000
		a = start(t, r, func() {
			<-ready
			for range rounds {
				b.Unpark()
				Park()
			}
		})
		b = start(t, r, func() {
			<-ready
			for range rounds {
				Park()
				a.Unpark()
			}
		})
		close(ready)
		join(t, a, b)
	}
}

func TestThreadBlockedInGoGetsItsCarrierReplaced(t *testing.T) {
	r := runtimeOf(t, 1)
	release := make(chan struct{})
	var blocked, others []*Thread
	for range 3 {
		blocked = append(blocked, start(t, r, func() { <-release }))
	}
	for range 10 {
		others = append(others, start(t, r, Yield))
	}
	join(t, others...)
	close(release)
	join(t, blocked...)
}

func TestThreadsLockedToTheirKernelThreadGoOn(t *testing.T) {
	r := runtimeOf(t, 2)
	var threads []*Thread
	for range 4 {
		threads = append(threads, start(t, r, func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			for range 100 {
				Yield()
				Sleep(10 * time.Microsecond)
			}
		}))
	}
	join(t, threads...)
}

func TestGoexitEndsAThread(t *testing.T) {
	r := runtimeOf(t, 1)
	for range 10 {
		deferred := false
		join(t, start(t, r, func() {
			defer func() { deferred = true }()
			runtime.Goexit()
		}))
		if !deferred {
			t.Error("the deferred call was not run")
		}
	}
}

func TestPanicInAThreadEndsTheProgram(t *testing.T) {
	out, parent := inChild(t)
	if !parent {
		fmt.Println("Run returned", Run(func() { panic("out of a thread") }))
		os.Exit(0)
	}
	if !strings.Contains(out, "panic: out of a thread") || !strings.Contains(out, "TestPanicInAThreadEndsTheProgram") {
		t.Errorf("the program ended with:\n%s", out)
	}
}

func TestOverflowOfAThreadEndsTheProgramAndNamesIt(t *testing.T) {
	needsNative(t)
	out, parent := inChild(t)
	if !parent {
		th, err := Go(func() { recurse(1 << 40) }, WithName("bottomless"))
		fmt.Println("started", err)
		fmt.Println("joined", th.Join(context.Background()))
		os.Exit(0)
	}
	if !strings.Contains(out, "stack overflow in thread bottomless") {
		t.Errorf("the program ended with:\n%s", out)
	}
}

func TestCloseCountsWhatIsLeft(t *testing.T) {
	r, err := New(Config{Carriers: 1})
	if err != nil {
		t.Fatal(err)
	}
	th := start(t, r, Park)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if err := r.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if _, err := r.Go(func() {}); !errors.Is(err, ErrRuntimeClosed) {
		t.Error(err)
	}
	th.Unpark()
	if err := r.Close(context.Background()); err != nil {
		t.Error(err)
	}
	join(t, th)
}

func TestBadConfigurationIsRefused(t *testing.T) {
	for _, c := range []Config{{Carriers: -1}, {Carriers: MaxCarriers + 1}, {StackSize: 1}, {StackSize: MaxStackSize + 1}} {
		if r, err := New(c); !errors.Is(err, ErrBadOption) || r != nil {
			t.Errorf("New(%+v) = %v", c, err)
		}
	}
	r := runtimeOf(t, 1)
	if _, err := r.Go(nil); !errors.Is(err, ErrBadOption) {
		t.Error(err)
	}
}

func TestThreadsUnderTheCollector(t *testing.T) {
	r := runtimeOf(t, 2)
	var stop atomic.Bool
	var background sync.WaitGroup
	background.Go(func() {
		for !stop.Load() {
			runtime.GC()
		}
	})
	ch := make(chan *node, 4)
	background.Go(func() {
		for n := range ch {
			if err := n.verify(4, n.value); err != nil {
				t.Error(err)
			}
		}
	})
	deadline := time.Now().Add(stressFor() / 2)
	var threads []*Thread
	for i := range 50 {
		threads = append(threads, start(t, r, func() {
			for seed := i + 1; time.Now().Before(deadline); seed++ {
				n := grow(4, seed)
				switch seed % 5 {
				case 0:
					Sleep(10 * time.Microsecond)
				case 1:
					self := Current()
					go self.Unpark()
					Park()
				case 2:
					ch <- n
				default:
					Yield()
				}
				if err := n.verify(4, seed); err != nil {
					t.Error(err)
				}
			}
		}))
	}
	join(t, threads...)
	stop.Store(true)
	close(ch)
	background.Wait()
}

func benchmarkYield(b *testing.B, threads int) {
	r := runtimeOf(b, 1)
	each := b.N/threads + 1
	var all []*Thread
	for range threads {
		all = append(all, start(b, r, func() {
			for range each {
				Yield()
			}
		}))
	}
	join(b, all...)
}

func BenchmarkYield2(b *testing.B)    { benchmarkYield(b, 2) }
func BenchmarkYield10(b *testing.B)   { benchmarkYield(b, 10) }
func BenchmarkYield1000(b *testing.B) { benchmarkYield(b, 1000) }

// BenchmarkGosched10 is BenchmarkYield10 for goroutines.
func BenchmarkGosched10(b *testing.B) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			for range b.N/10 + 1 {
				runtime.Gosched()
			}
		})
	}
	all.Wait()
}

// TestReplacedCarrierGivesWay blocks the only carrier in Go again and again: never
// must more threads run than there are carriers, but for the moments in which
// one that was blocked goes on.
func TestReplacedCarrierGivesWay(t *testing.T) {
	r := runtimeOf(t, 1)
	var stop atomic.Bool
	var threads []*Thread
	for range 4 {
		threads = append(threads, start(t, r, func() {
			for !stop.Load() {
				time.Sleep(3 * time.Millisecond) // in Go
				for range 50 {
					Yield()
				}
			}
		}))
	}
	busy := start(t, r, func() {
		for !stop.Load() {
			Yield()
		}
	})
	time.Sleep(100 * time.Millisecond)
	stop.Store(true)
	join(t, append(threads, busy)...)
	untilRetired(t, r, 1)
}

// untilRetired waits until the spare carriers of r, which asked for n, have retired.
func untilRetired(t *testing.T, r *Runtime, n int) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); r.Stats().Carriers > n; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the spares do not retire, %d carriers were asked for: %+v", n, r.Stats())
		}
	}
}

// TestAnchorsOfABurstEnd starts a burst of threads that wait all at once, and sees
// their stacks go when nothing runs any more.
func TestAnchorsOfABurstEnd(t *testing.T) {
	needsNative(t)
	r := runtimeOf(t, 2)
	var threads []*Thread
	for range keepIdle * 3 {
		threads = append(threads, start(t, r, Park))
	}
	for _, th := range threads {
		th.Unpark()
	}
	join(t, threads...)
	if n := r.stable.capacity.Load(); n < keepIdle*3 {
		t.Fatalf("a capacity of %d, after %d threads", n, keepIdle*3)
	}
	for deadline := time.Now().Add(30 * time.Second); r.stable.capacity.Load() > keepIdle+1; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("a capacity of %d is left", r.stable.capacity.Load())
		}
	}
	join(t, start(t, r, Yield))
}

// TestAClosedRuntimeLeavesNothingBehind looks for anchors and stacks that a runtime keeps
// after Close: that of the last thread is given back only when the thread has ended.
func TestAClosedRuntimeLeavesNothingBehind(t *testing.T) {
	needsNative(t)
	for i := range 100 {
		r, err := New(Config{Carriers: 1 + i%3})
		if err != nil {
			t.Fatal(err)
		}
		for range 10 {
			start(t, r, Yield)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		if err := r.Close(ctx); err != nil {
			t.Fatal(err)
		}
		cancel()
		for deadline := time.Now().Add(10 * time.Second); r.Stats().Anchors+r.Stats().Reserved > 0; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("runtime %d is closed, and has %d anchors and %d stacks", i, r.Stats().Anchors, r.Stats().Reserved)
			}
		}
	}
}

// TestNoMoreThreadsThanStacks has a pool of eight stacks: it is Go that tells that there
// are no more, and where a thread was let in all the same, it waits for one.
func TestNoMoreThreadsThanStacks(t *testing.T) {
	needsNative(t)
	pool, err := stackpool.New(stackpool.Config{MaxStacks: 8})
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(Config{Carriers: 2, Pool: pool})
	if err != nil {
		t.Fatal(err)
	}
	var threads []*Thread
	for range 8 {
		threads = append(threads, start(t, r, Park))
	}
	if _, err := r.Go(Park); !errors.Is(err, ErrStackLimit) {
		t.Errorf("the ninth thread: %v", err)
	}
	for _, th := range threads {
		for th.State() != StateWaiting { // or its stack could be used by another first
			time.Sleep(time.Millisecond)
		}
	}
	r.stable.capacity.Add(1) // as if there were one more
	late := start(t, r, func() {})
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if err := late.Join(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it has run without a stack: %v", err)
	}
	threads[0].Unpark()
	join(t, threads[0], late)
	r.stable.capacity.Add(-1)
	for _, th := range threads[1:] {
		th.Unpark()
	}
	join(t, threads[1:]...)
	if err := r.Close(context.Background()); err != nil {
		t.Error(err)
	}
	for deadline := time.Now().Add(10 * time.Second); pool.Stats().Live > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d stacks have not been given back", pool.Stats().Live)
		}
	}
	if err := pool.Close(); err != nil {
		t.Error(err)
	}
}
