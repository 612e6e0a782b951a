//go:build linux && !futexportable

package futex_test

import (
	"testing"
	"unsafe"

	"greenthread/futex"
)

func TestWhatDoesNotWaitMakesNoSystemCall(t *testing.T) {
	everywhere(t, func(t *testing.T, w world) {
		m, rw, c, s, b, e, o := w.mutex(), w.rwMutex(), w.cond(), w.semaphore(), w.barrier(), w.event(), w.once()
		use := func() {
			ok(t, m.Lock())
			ok(t, m.Unlock())
			m.TryLock()
			ok(t, m.Unlock())
			ok(t, m.LockUntil(0))
			ok(t, m.Unlock())
			ok(t, m.LockContext(t.Context()))
			ok(t, m.Unlock())
			ok(t, rw.Lock())
			ok(t, rw.Unlock())
			ok(t, rw.RLock())
			ok(t, rw.RLock())
			ok(t, rw.RUnlock())
			ok(t, rw.RUnlock())
			ok(t, c.Lock())
			ok(t, c.Signal())
			ok(t, c.Broadcast())
			ok(t, c.Unlock())
			ok(t, c.Broadcast())
			ok(t, s.Release(2))
			ok(t, s.Acquire())
			s.TryAcquire()
			b.Wait(1)
			ok(t, e.Set())
			ok(t, e.Wait())
			e.Reset()
			ok(t, o.Do(func() {}))
		}
		use() // the first time, something may have to be probed
		calls := count(t)
		for range 100 {
			use()
		}
		if waits, wakes := calls.waits.Load(), calls.wakes.Load(); waits+wakes != 0 {
			t.Errorf("%d waits, %d wakes", waits, wakes)
		}
	})
}

// After a contention is over, so are the calls.
func TestALockForgetsItsContention(t *testing.T) {
	everywhere(t, func(t *testing.T, w world) {
		m := w.mutex()
		together(4, func(int) {
			for range 100 {
				ok(t, m.Lock())
				ok(t, m.Unlock())
			}
		})
		ok(t, m.Lock())
		ok(t, m.Unlock()) // finds nobody to wake, at the latest
		calls := count(t)
		for range 100 {
			ok(t, m.Lock())
			ok(t, m.Unlock())
		}
		if n := calls.waits.Load() + calls.wakes.Load(); n != 0 {
			t.Errorf("%d calls", n)
		}
	})
}

// A broadcast to many costs one call, and moves all but those who can go on.
func TestCondBroadcastWakesNoHerd(t *testing.T) {
	onEachKernel(t, func(t *testing.T) {
		if !futex.FeatureRequeue.Available() {
			t.Skip("everyone is woken")
		}
		m, c, turn := new(futex.Mutex), new(futex.Cond), 0
		const n = 5
		asleep := asleepOn(t, futex.CondWord(c), n, func(int) error {
			m.Lock()
			for turn == 0 {
				c.Wait(m)
			}
			m.Unlock()
			return nil
		})
		m.Lock()
		turn = 1
		calls := count(t)
		c.Broadcast(m)
		if n := calls.wakes.Load() + calls.waits.Load(); n != 1 {
			t.Errorf("%d calls", n)
		}
		select {
		case <-asleep.done:
			t.Error("one got on without the lock")
		default:
		}
		m.Unlock()
		asleep.all.Wait()
		if waits := calls.waits.Load() - 1; waits > n { // one was the requeue
			t.Errorf("%d went to sleep again", waits)
		}
	})
}

func TestSizesAreFixed(t *testing.T) {
	for name, size := range map[string][2]uintptr{
		"Mutex":     {unsafe.Sizeof(futex.Mutex{}), 8},
		"RWMutex":   {unsafe.Sizeof(futex.RWMutex{}), 16},
		"Cond":      {unsafe.Sizeof(futex.Cond{}), 8},
		"Semaphore": {unsafe.Sizeof(futex.Semaphore{}), 8},
		"Barrier":   {unsafe.Sizeof(futex.Barrier{}), 4},
		"Event":     {unsafe.Sizeof(futex.Event{}), 4},
		"Once":      {unsafe.Sizeof(futex.Once{}), 12},
	} {
		if size[0] != size[1] {
			t.Errorf("%s: %d bytes, want %d", name, size[0], size[1])
		}
	}
}

// Ten thousand signals a second at a thread that locks, waits and gives up.
func TestPrimitivesUnderFire(t *testing.T) {
	everywhere(t, func(t *testing.T, w world) {
		m, c, s := w.mutex(), w.cond(), w.semaphore()
		var r room
		stop := make(chan struct{})
		partner := make(chan struct{})
		go func() {
			defer close(partner)
			for {
				select {
				case <-stop:
					return
				default:
				}
				ok(t, m.Lock())
				r.visit(t, 1)
				ok(t, m.Unlock())
				ok(t, c.Lock())
				ok(t, c.Signal())
				ok(t, c.Unlock())
				ok(t, s.Release(1))
			}
		}()
		shots := underFire(func() {
			for end := futex.After(50e6); !end.Passed(); {
				ok(t, m.Lock())
				r.visit(t, 1)
				ok(t, m.Unlock())
				ok(t, c.Lock())
				ok(t, c.Wait())
				ok(t, c.Unlock())
				ok(t, s.Acquire())
				deadline := futex.After(100e3)
				if err := w.semaphore().AcquireUntil(deadline); err != futex.ErrTimeout || !deadline.Passed() {
					t.Errorf("got %v, %v early", err, deadline.Until())
				}
			}
			close(stop)
		})
		<-partner
		t.Logf("%d signals, %d visits", shots, r.visits.Load())
	})
}
