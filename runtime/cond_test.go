package runtime

import (
	"context"
	"sync"
	"testing"
	"time"
)

// lockers are locks for a Cond, one of which it does not know.
func lockers() map[string]sync.Locker {
	return map[string]sync.Locker{"Mutex": new(Mutex), "sync": new(sync.Mutex), "stranger": &stranger{}}
}

// A stranger waits where it must not disturb the wait of the Cond: in Unlock.
type stranger struct{ Mutex }

func (s *stranger) Unlock() {
	s.Mutex.Unlock()
	Sleep(time.Microsecond)
	var sem Semaphore
	_ = sem.Acquire(ended(), 1)
}

func TestCondSignalWakesOneAndBroadcastAll(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		for name, l := range lockers() {
			c := NewCond(l)
			tokens, taken := 0, 0
			const n = 6
			wait := w.started(n, func(int) {
				c.L.Lock()
				for tokens == 0 {
					c.Wait()
				}
				tokens--
				taken++
				c.L.Unlock()
			})
			queued(&c.guard, &c.queue, n)
			for i := range n / 2 {
				c.L.Lock()
				tokens++
				c.L.Unlock()
				c.Signal()
				queued(&c.guard, &c.queue, n-1-i)
			}
			c.L.Lock()
			tokens += n / 2
			c.L.Unlock()
			c.Broadcast()
			wait()
			if taken != n || tokens != 0 {
				t.Errorf("%s: %d taken, %d left", name, taken, tokens)
			}
			c.Signal() // to nobody
			c.Broadcast()
		}
	})
}

func TestCondSignalsInOrder(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		var m Mutex
		c := NewCond(&m)
		var order []int
		var waits []func()
		for i := range 4 {
			waits = append(waits, w.started(1, func(int) {
				m.Lock()
				c.Wait()
				order = append(order, i)
				m.Unlock()
			}))
			queued(&c.guard, &c.queue, i+1)
		}
		for i := range 4 {
			c.Signal()
			waits[i]()
		}
		for i, got := range order {
			if i != got {
				t.Errorf("woken in the order %v", order)
			}
		}
	})
}

// As many signals are taken as were given to somebody, whatever contexts end.
func TestCondSignalIsNotLostByOneWhoLeaves(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		var m Mutex
		c := NewCond(&m)
		given, taken, left := 0, 0, 6
		w.together(left+1, func(i int) {
			if i > 0 {
				for round := range rounds(20) {
					ctx, cancel := soon(i + round)
					m.Lock()
					if c.WaitContext(ctx) == nil {
						taken++
					}
					m.Unlock()
					cancel()
				}
				m.Lock()
				left--
				m.Unlock()
				return
			}
			for {
				m.Lock()
				end := left == 0
				m.Unlock()
				if end {
					return
				}
				c.guard.lock()
				e := c.queue.pop() // as Signal does, but we want to know
				c.guard.unlock()
				if e != nil {
					given++
					e.waiter.wake()
				}
				Yield()
			}
		})
		if given != taken {
			t.Errorf("%d signals given, %d taken", given, taken)
		}
	})
}

func TestCondWaitEndsWithItsContextAndHoldsTheLock(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		var m Mutex
		c := NewCond(&m)
		w.alone(func() {
			m.Lock()
			wantErr(t, c.WaitContext(ended()), errStop)
			ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
			defer cancel()
			wantErr(t, c.WaitContext(ctx), context.DeadlineExceeded)
			if m.TryLock() {
				t.Error("not locked after Wait")
			}
			m.Unlock()
		})
	})
}

func TestCondWithAnUnlockedLockPanicsAndIsAsBefore(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		var m Mutex
		c := NewCond(&m)
		w.alone(func() {
			wantMessage(t, "greenthread: unlock of unlocked Mutex", c.Wait)
			if !c.queue.empty() {
				t.Error("it still waits")
			}
		})
	})
}
