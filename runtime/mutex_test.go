package runtime

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"
)

var errStop = errors.New("stop")

// ended is a context that has ended, with the cause errStop.
func ended() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errStop)
	return ctx
}

func TestMutexExcludes(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		var m Mutex
		inside, entered := 0, 0 // without atomics: the race detector looks
		var want atomic.Int64
		w.together(6, func(i int) {
			for round := range rounds(200) {
				switch (i + round) % 4 {
				case 0:
					if !m.TryLock() {
						continue
					}
				case 1:
					ctx, cancel := soon(round)
					err := m.LockContext(ctx)
					cancel()
					if err != nil {
						continue
					}
				default:
					m.Lock()
				}
				if inside++; inside != 1 {
					t.Error("two are inside")
				}
				if round%3 == 0 {
					Yield()
				}
				entered++
				inside--
				m.Unlock()
				want.Add(1)
			}
		})
		if int64(entered) != want.Load() {
			t.Errorf("entered %d times, want %d", entered, want.Load())
		}
		if m.state.Load() != 0 || !m.queue.empty() {
			t.Errorf("left with state %b and %d waiting", m.state.Load(), m.queue.length)
		}
	})
}

func TestMutexThatIsHeldIsWaitedForUntilTheContextEnds(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		var m Mutex
		w.alone(func() {
			wantErr(t, m.LockContext(ended()), nil) // it is free
			if m.TryLock() {
				t.Error("locked twice")
			}
			wantErr(t, m.LockContext(ended()), errStop)
			ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
			defer cancel()
			wantErr(t, m.LockContext(ctx), context.DeadlineExceeded)
			m.Unlock()
			if !m.TryLock() {
				t.Error("not free")
			}
			m.Unlock()
		})
		wantMessage(t, "greenthread: unlock of unlocked Mutex", m.Unlock)
		m.Lock() // nothing was broken
		m.Unlock()
	})
}

// A waiter that gives up after it was woken must not keep the wake for itself.
func TestMutexWakeIsNotLostByOneWhoLeaves(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		var m Mutex
		var got atomic.Int64
		w.together(8, func(i int) {
			for round := range rounds(100) {
				if i%2 == 0 {
					m.Lock()
					m.Unlock()
					got.Add(1)
					continue
				}
				ctx, cancel := soon(i + round)
				if m.LockContext(ctx) == nil {
					m.Unlock()
				}
				cancel()
			}
		})
		if want := int64(4 * rounds(100)); got.Load() != want {
			t.Errorf("%d locks, want %d", got.Load(), want)
		}
	})
}

// However busy the others are, one who waits gets the mutex after a number of turns.
func TestMutexStarvesNobody(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		var m Mutex
		var stop atomic.Bool
		hogs := w.started(2, func(int) {
			for !stop.Load() {
				m.Lock()
				Yield()
				m.Unlock()
			}
		})
		w.together(2, func(int) {
			for range 20 {
				m.Lock()
				m.Unlock()
			}
		})
		stop.Store(true)
		hogs()
	})
}

// On one carrier it can be counted: a thread that never lets go of the mutex for longer
// than an instant keeps a waiter out for mutexFair turns, not more.
func TestMutexIsHandedToOneWhoHasLostOften(t *testing.T) {
	needsNative(t)
	r := runtimeOf(t, 1)
	var m Mutex
	turns := 0
	entered := false
	var waiter *Thread
	hog := start(t, r, func() {
		m.Lock()
		waiter = start(t, r, func() { // not before, or it could be that nobody waits at first
			m.Lock()
			entered = true
			m.Unlock()
		})
		for !entered && turns < 10*mutexFair {
			Yield()
			turns++
			m.Unlock()
			m.Lock()
		}
		m.Unlock()
	})
	join(t, hog)
	join(t, waiter)
	if turns > 2*mutexFair {
		t.Errorf("the waiter got in after %d turns", turns)
	}
}

func TestMutexAllocatesNothing(t *testing.T) {
	var m Mutex
	wantNoAllocations(t, "Lock and Unlock", func() {
		m.Lock()
		m.Unlock()
		m.TryLock()
		m.Unlock()
		_ = m.LockContext(context.Background())
		m.Unlock()
	})
}
