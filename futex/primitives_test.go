package futex_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"greenthread/futex"
)

// everywhere runs a test of the suite in every world there is, on every kernel.
func everywhere(t *testing.T, test func(t *testing.T, w world)) {
	t.Helper()
	onEachKernel(t, func(t *testing.T) {
		for name, w := range worlds() {
			t.Run(name, func(t *testing.T) { test(t, w) })
		}
	})
}

// ok fails the test on an unexpected error, and returns whether there was none.
func ok(t *testing.T, err error) bool {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
	return err == nil
}

// together runs f on n goroutines and waits for all.
func together(n int, f func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { f(i) })
	}
	all.Wait()
}

// soon is a context that ends after d.
func soon(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// room notices when more are inside than may be.
type room struct {
	inside atomic.Int32
	visits atomic.Int32
}

func (r *room) visit(t *testing.T, atMost int32) {
	if n := r.inside.Add(1); n > atMost {
		t.Errorf("%d are inside", n)
	}
	if r.visits.Add(1)%16 == 0 {
		runtime.Gosched()
	}
	r.inside.Add(-1)
}

func TestMutexExcludes(t *testing.T) {
	everywhere(t, func(t *testing.T, w world) {
		m, r, each := w.mutex(), room{}, rounds(400)
		together(8, func(int) {
			for range each {
				if ok(t, m.Lock()) {
					r.visit(t, 1)
					ok(t, m.Unlock())
				}
			}
		})
		if got := r.visits.Load(); got != int32(8*each) {
			t.Errorf("%d visits", got)
		}
	})
}

// All four ways to lock at once, most of which give up sooner or later: nobody who gave up has the lock, nobody who got it
// shares it, and at the end it is free.
func TestMutexSurvivesThoseWhoGiveUp(t *testing.T) {
	everywhere(t, func(t *testing.T, w world) {
		m, r, each := w.mutex(), room{}, rounds(200)
		inside := func() {
			r.visit(t, 1)
			if r.visits.Load()%8 == 0 {
				time.Sleep(50 * time.Microsecond)
			}
			ok(t, m.Unlock())
		}
		together(8, func(i int) {
			for round := range each {
				patience := time.Duration(round%7) * 10 * time.Microsecond
				switch i % 4 {
				case 0:
					if ok(t, m.Lock()) {
						inside()
					}
				case 1:
					if err := m.LockUntil(futex.After(patience)); err == nil {
						inside()
					} else if err != futex.ErrTimeout {
						t.Error(err)
					}
				case 2:
					ctx, cancel := context.WithTimeout(t.Context(), patience)
					if err := m.LockContext(ctx); err == nil {
						inside()
					} else if err != ctx.Err() {
						t.Error(err)
					}
					cancel()
				default:
					if got, err := m.TryLock(); got && ok(t, err) {
						inside()
					}
				}
			}
		})
		if got, err := m.TryLock(); !got {
			t.Errorf("it is not free: %v", err)
		}
	})
}

func TestMutexGivesUpInTime(t *testing.T) {
	everywhere(t, func(t *testing.T, w world) {
		m := w.mutex()
		ok(t, m.LockUntil(0)) // it is free: the deadline does not matter
		other := func(f func()) {
			done := make(chan struct{})
			go func() { defer close(done); f() }()
			<-done
		}
		other(func() {
			if got, err := m.TryLock(); got || err != nil {
				t.Errorf("TryLock: %v, %v", got, err)
			}
			for _, d := range []time.Duration{-1, time.Millisecond, 5 * time.Millisecond} {
				deadline := futex.After(d)
				if err := m.LockUntil(deadline); err != futex.ErrTimeout || !deadline.Passed() {
					t.Errorf("LockUntil: %v, %v early", err, deadline.Until())
				}
			}
			if err := m.LockContext(soon(t, 5*time.Millisecond)); err != context.DeadlineExceeded {
				t.Errorf("LockContext: %v", err)
			}
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			if err := m.LockContext(ended); err != context.Canceled {
				t.Errorf("LockContext: %v", err)
			}
		})
		ok(t, m.Unlock())
		ok(t, m.LockContext(context.Background()))
		ok(t, m.Unlock())
	})
}

// One that holds the lock nearly always does not keep another from it.
func TestMutexStarvesNobody(t *testing.T) {
	everywhere(t, func(t *testing.T, w world) { starve(t, w.mutex()) })
}

func starve(t *testing.T, m mutex) {
	var stop atomic.Bool
	var greedy sync.WaitGroup
	var running atomic.Int32
	for range 2 {
		greedy.Go(func() {
			for !stop.Load() {
				ok(t, m.Lock())
				running.Add(1)
				for start := time.Now(); time.Since(start) < 20*time.Microsecond; {
				}
				ok(t, m.Unlock())
			}
		})
	}
	eventually(func() bool { return running.Load() > 10 })
	var longest time.Duration
	for range 20 {
		start := time.Now()
		ok(t, m.Lock())
		longest = max(longest, time.Since(start))
		ok(t, m.Unlock())
	}
	stop.Store(true)
	greedy.Wait()
	t.Logf("the longest wait was %v", longest)
	if longest > 5*time.Second { // usually a few ms; but a woken thread needs a CPU and a P, and both are busy
		t.Errorf("waited %v", longest)
	}
}

func TestUnlockOfAFreeLockPanics(t *testing.T) {
	for name, unlock := range map[string]func(){
		"Mutex":           func() { new(futex.Mutex).Unlock() },
		"RWMutex":         func() { new(futex.RWMutex).Unlock() },
		"RWMutex, reader": func() { new(futex.RWMutex).RUnlock() },
		"Barrier":         func() { new(futex.Barrier).Wait(0) },
		"Semaphore":       func() { new(futex.Semaphore).Release(-1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			unlock()
		}()
	}
}

func TestRWMutexExcludes(t *testing.T) {
	everywhere(t, func(t *testing.T, w world) {
		m, each := w.rwMutex(), rounds(200)
		var readers, writers atomic.Int32
		together(8, func(i int) {
			for round := range each {
				patience := futex.After(time.Duration(round%5) * 20 * time.Microsecond)
				if i < 3 {
					err := m.Lock()
					if round%3 == 0 && err == nil { // and again, with an end
						ok(t, m.Unlock())
						err = m.LockUntil(patience)
					}
					if err == futex.ErrTimeout || !ok(t, err) {
						continue
					}
					if writers.Add(1) != 1 || readers.Load() != 0 {
						t.Error("a writer is not alone")
					}
					writers.Add(-1)
					ok(t, m.Unlock())
					continue
				}
				var err error
				if round%3 == 0 {
					err = m.RLockUntil(patience)
				} else {
					err = m.RLock()
				}
				if err == futex.ErrTimeout || !ok(t, err) {
					continue
				}
				readers.Add(1)
				if writers.Load() != 0 {
					t.Error("a reader meets a writer")
				}
				readers.Add(-1)
				ok(t, m.RUnlock())
			}
		})
		if got, err := m.TryLock(); !got || err != nil {
			t.Errorf("it is not free: %v", err)
		}
	})
}

func TestRWMutexReadersShareAndWritersGiveUp(t *testing.T) {
	everywhere(t, func(t *testing.T, w world) {
		m := w.rwMutex()
		ok(t, m.RLock())
		ok(t, m.RLockContext(t.Context()))
		if got, err := m.TryLock(); got || err != nil {
			t.Errorf("TryLock beside readers: %v, %v", got, err)
		}
		if err := m.LockUntil(futex.After(2 * time.Millisecond)); err != futex.ErrTimeout {
			t.Errorf("LockUntil beside readers: %v", err)
		}
		if err := m.LockContext(soon(t, 2*time.Millisecond)); err != context.DeadlineExceeded {
			t.Errorf("LockContext beside readers: %v", err)
		}
		if got, err := m.TryRLock(); !got || err != nil { // the writers have gone
			t.Errorf("TryRLock beside readers: %v, %v", got, err)
		}
		for range 3 {
			ok(t, m.RUnlock())
		}
		ok(t, m.Lock())
		if got, err := m.TryRLock(); got || err != nil {
			t.Errorf("TryRLock beside a writer: %v, %v", got, err)
		}
		if err := m.RLockUntil(futex.After(2 * time.Millisecond)); err != futex.ErrTimeout {
			t.Errorf("RLockUntil beside a writer: %v", err)
		}
		if err := m.RLockContext(soon(t, 2*time.Millisecond)); err != context.DeadlineExceeded {
			t.Errorf("RLockContext beside a writer: %v", err)
		}
		ok(t, m.Unlock())
		ok(t, m.RLock())
		ok(t, m.RUnlock())
	})
}

// Readers that overlap without end do not keep a writer out, and writers in a row let readers in.
func TestRWMutexTakesTurns(t *testing.T) {
	everywhere(t, func(t *testing.T, w world) {
		m := w.rwMutex()
		var stop atomic.Bool
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				for !stop.Load() {
					if ok(t, m.RLock()) {
						runtime.Gosched()
						ok(t, m.RUnlock())
					}
				}
			})
		}
		for range 20 {
			if ok(t, m.Lock()) {
				ok(t, m.Unlock())
			}
		}
		for range 2 {
			all.Go(func() {
				for !stop.Load() {
					if ok(t, m.Lock()) {
						runtime.Gosched()
						ok(t, m.Unlock())
					}
				}
			})
		}
		for range 20 {
			if ok(t, m.RLock()) {
				ok(t, m.RUnlock())
			}
		}
		stop.Store(true)
		all.Wait()
	})
}

// A queue of one place between producers and consumers loses nothing, whoever is woken.
func TestCondHandsOver(t *testing.T) {
	everywhere(t, func(t *testing.T, w world) {
		full, empty := w.cond(), w.cond()
		const pairs = 3
		each := rounds(200)
		var place, sum atomic.Int64 // guarded by the lock of full; atomic for the race detector, which cannot see it
		together(2*pairs, func(i int) {
			for n := 1; n <= each; n++ {
				ok(t, full.Lock())
				if i < pairs {
					for place.Load() != 0 {
						ok(t, full.Unlock())
						ok(t, empty.Lock())
						if place.Load() != 0 {
							if err := empty.WaitUntil(futex.After(time.Millisecond)); err != nil && err != futex.ErrTimeout {
								t.Error(err)
							}
						}
						ok(t, empty.Unlock())
						ok(t, full.Lock())
					}
					place.Store(int64(n))
					ok(t, full.Signal())
				} else {
					for place.Load() == 0 {
						ok(t, full.Wait())
					}
					sum.Add(place.Swap(0))
					ok(t, empty.Signal())
				}
				ok(t, full.Unlock())
			}
		})
		if want := int64(pairs * each * (each + 1) / 2); sum.Load() != want {
			t.Errorf("the sum is %d, want %d", sum.Load(), want)
		}
	})
}

// With and without the lock held, everyone who waits is woken by one broadcast.
func TestCondBroadcastWakesEveryone(t *testing.T) {
	everywhere(t, func(t *testing.T, w world) {
		for round := range 20 {
			c := w.cond()
			var waiting, woken atomic.Int32
			var generation atomic.Int32
			var all sync.WaitGroup
			const n = 6
			for i := range n {
				all.Go(func() {
					ok(t, c.Lock())
					waiting.Add(1)
					for generation.Load() == 0 {
						if i == 0 {
							ok(t, c.WaitContext(soon(t, time.Minute)))
						} else {
							ok(t, c.Wait())
						}
					}
					woken.Add(1)
					ok(t, c.Unlock())
				})
			}
			eventually(func() bool { return waiting.Load() == n })
			ok(t, c.Lock()) // so all of them wait now
			generation.Add(1)
			if round%2 == 0 {
				ok(t, c.Broadcast())
				ok(t, c.Unlock())
			} else {
				ok(t, c.Unlock())
				ok(t, c.Broadcast())
			}
			all.Wait()
			ok(t, c.Broadcast()) // to nobody
			if woken.Load() != n {
				t.Errorf("%d woken", woken.Load())
			}
		}
	})
}

func TestCondGivesUpInTimeAndHoldsTheLock(t *testing.T) {
	everywhere(t, func(t *testing.T, w world) {
		c := w.cond()
		ok(t, c.Lock())
		deadline := futex.After(2 * time.Millisecond)
		var err error
		for err == nil {
			err = c.WaitUntil(deadline)
		}
		if err != futex.ErrTimeout || !deadline.Passed() {
			t.Errorf("got %v, %v early", err, deadline.Until())
		}
		ctx := soon(t, 2*time.Millisecond)
		for err = nil; err == nil; {
			err = c.WaitContext(ctx)
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		if got, _ := c.TryLock(); got {
			t.Error("the lock is not held")
		}
		ok(t, c.Unlock())
	})
}

func TestSemaphoreCounts(t *testing.T) {
	everywhere(t, func(t *testing.T, w world) {
		s, r, each := w.semaphore(), room{}, rounds(200)
		if s.TryAcquire() {
			t.Error("the zero value has a permit")
		}
		ok(t, s.Release(3))
		together(8, func(i int) {
			for round := range each {
				var err error
				switch (i + round) % 4 {
				case 0:
					err = s.AcquireUntil(futex.After(30 * time.Microsecond))
				case 1:
					ctx, cancel := context.WithTimeout(t.Context(), 30*time.Microsecond)
					err = s.AcquireContext(ctx)
					cancel()
				default:
					ok(t, s.Acquire())
				}
				if err == nil {
					r.visit(t, 3)
					ok(t, s.Release(1))
				} else if err != futex.ErrTimeout && err != context.DeadlineExceeded {
					t.Error(err)
				}
			}
		})
		if s.Permits() != 3 {
			t.Errorf("%d permits are left", s.Permits())
		}
	})
}

func TestSemaphoreReleaseWakesAsManyAsItReleases(t *testing.T) {
	everywhere(t, func(t *testing.T, w world) {
		s := w.semaphore()
		var through atomic.Int32
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() { ok(t, s.Acquire()); through.Add(1) })
		}
		for _, n := range []int{0, 2, 3} {
			ok(t, s.Release(n))
		}
		all.Wait()
		deadline := futex.After(2 * time.Millisecond)
		if err := s.AcquireUntil(deadline); err != futex.ErrTimeout || !deadline.Passed() {
			t.Errorf("got %v", err)
		}
	})
}

func TestBarrierLetsAllGoTogether(t *testing.T) {
	everywhere(t, func(t *testing.T, w world) {
		b, each := w.barrier(), rounds(200)
		const n = 4
		var come, last atomic.Int32
		together(n, func(int) {
			for round := range each {
				come.Add(1)
				first, err := b.Wait(n)
				ok(t, err)
				if first {
					last.Add(1)
				}
				if got := int(come.Load()); got < (round+1)*n {
					t.Errorf("round %d: let go after %d", round, got)
				}
			}
		})
		if int(last.Load()) != each {
			t.Errorf("%d were last in %d rounds", last.Load(), each)
		}
	})
}

func TestBarrierForgetsWhoGaveUp(t *testing.T) {
	everywhere(t, func(t *testing.T, w world) {
		b := w.barrier()
		if last, err := b.WaitUntil(2, futex.After(2*time.Millisecond)); last || err != futex.ErrTimeout {
			t.Errorf("got %v, %v", last, err)
		}
		if last, err := b.WaitContext(2, soon(t, 2*time.Millisecond)); last || err != context.DeadlineExceeded {
			t.Errorf("got %v, %v", last, err)
		}
		var lasts atomic.Int32
		together(2, func(int) {
			last, err := b.WaitContext(2, t.Context())
			if ok(t, err) && last {
				lasts.Add(1)
			}
		})
		if lasts.Load() != 1 {
			t.Errorf("%d were last", lasts.Load())
		}
	})
}

func TestEventLetsEveryoneThrough(t *testing.T) {
	everywhere(t, func(t *testing.T, w world) {
		for range rounds(50) {
			e := w.event()
			var all sync.WaitGroup
			for i := range 4 {
				all.Go(func() {
					if i == 0 {
						ok(t, e.WaitContext(t.Context()))
					} else {
						ok(t, e.Wait())
					}
				})
			}
			ok(t, e.Set())
			all.Wait()
			ok(t, e.Wait())
			if !e.IsSet() || !e.Reset() || e.Reset() || e.IsSet() {
				t.Error("Reset")
			}
		}
	})
}

// One that waits notices a Set even if a Reset follows at once.
func TestEventIsNotMissed(t *testing.T) {
	everywhere(t, func(t *testing.T, w world) {
		e := w.event()
		for range rounds(30) {
			about := make(chan struct{})
			done := make(chan error, 1)
			go func() {
				close(about)
				done <- e.WaitUntil(futex.After(time.Minute))
			}()
			<-about
			for waiting := true; waiting; {
				ok(t, e.Set())
				e.Reset()
				select {
				case err := <-done:
					ok(t, err)
					waiting = false
				default:
					runtime.Gosched()
				}
			}
		}
		deadline := futex.After(2 * time.Millisecond)
		if err := e.WaitUntil(deadline); err != futex.ErrTimeout || !deadline.Passed() {
			t.Errorf("got %v", err)
		}
		if err := e.WaitContext(soon(t, time.Millisecond)); err != context.DeadlineExceeded {
			t.Errorf("got %v", err)
		}
	})
}

func TestOnceIsOnce(t *testing.T) {
	everywhere(t, func(t *testing.T, w world) {
		for range rounds(50) {
			o := w.once()
			var calls atomic.Int32
			together(4, func(int) {
				ok(t, o.Do(func() { runtime.Gosched(); calls.Add(1) }))
				if calls.Load() != 1 || !o.Done() {
					t.Error("Do returned before it was done")
				}
			})
		}
		o := w.once()
		func() {
			defer func() { recover() }()
			o.Do(func() { panic("no") })
		}()
		ok(t, o.Do(func() { t.Error("done twice") }))
	})
}
