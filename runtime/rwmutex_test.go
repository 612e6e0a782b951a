package runtime

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestRWMutexHasOneWriterOrManyReaders(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		var rw RWMutex
		var readers, writers atomic.Int64
		value, want := 0, atomic.Int64{} // value without atomics: the race detector looks
		w.together(8, func(i int) {
			for round := range rounds(150) {
				ctx, cancel := soon(i + round)
				if (i+round)%4 == 0 {
					got := true
					switch round % 3 {
					case 0:
						got = rw.TryLock()
					case 1:
						got = rw.LockContext(ctx) == nil
					default:
						rw.Lock()
					}
					if got {
						if writers.Add(1) != 1 || readers.Load() != 0 {
							t.Error("a writer is not alone")
						}
						value++
						if round%2 == 0 {
							Yield()
						}
						want.Add(1)
						writers.Add(-1)
						rw.Unlock()
					}
				} else {
					got := true
					switch round % 3 {
					case 0:
						got = rw.TryRLock()
					case 1:
						got = rw.RLockContext(ctx) == nil
					default:
						rw.RLocker().Lock()
					}
					if got {
						readers.Add(1)
						if writers.Load() != 0 {
							t.Error("a reader beside a writer")
						}
						if int64(value) > want.Load()+1 {
							t.Error("a value that nobody has written")
						}
						if round%2 == 0 {
							Yield()
						}
						readers.Add(-1)
						rw.RLocker().Unlock()
					}
				}
				cancel()
			}
		})
		if int64(value) != want.Load() {
			t.Errorf("%d writes, want %d", value, want.Load())
		}
		if rw.state.Load() != 0 || rw.writers.state.Load() != 0 || !rw.readers.empty() || !rw.writer.empty() {
			t.Errorf("left in state %b", rw.state.Load())
		}
	})
}

// A writer that waits keeps readers out; when it gives up, they go on.
func TestRWMutexWriterThatWaitsGoesBeforeNewReaders(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		for _, givesUp := range []bool{false, true} {
			var rw RWMutex
			ctx, cancel := context.WithCancelCause(context.Background())
			rw.RLock()
			written := false
			writer := w.started(1, func(int) {
				err := rw.LockContext(ctx)
				if givesUp {
					wantErr(t, err, errStop)
					return
				}
				wantErr(t, err, nil)
				written = true
				rw.Unlock()
			})
			queued(&rw.guard, &rw.writer, 1)
			if rw.TryRLock() || rw.TryLock() {
				t.Error("passed the writer")
			}
			wantErr(t, rw.RLockContext(ended()), errStop)
			readers := w.started(3, func(int) {
				rw.RLock()
				if written == givesUp {
					t.Error("a reader came before the writer")
				}
				rw.RUnlock()
			})
			queued(&rw.guard, &rw.readers, 3)
			if givesUp {
				cancel(errStop)
				writer()
				readers()
			}
			rw.RUnlock()
			if !givesUp {
				writer()
				readers()
			}
			cancel(nil)
			if rw.state.Load() != 0 {
				t.Errorf("left in state %b", rw.state.Load())
			}
		}
	})
}

// Readers that wait for a writer go before the next writer.
func TestRWMutexStarvesNobody(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		var rw RWMutex
		var stop atomic.Bool
		hogs := w.started(4, func(i int) {
			for !stop.Load() {
				if i%2 == 0 {
					rw.Lock()
					Yield()
					rw.Unlock()
				} else {
					rw.RLock()
					Yield()
					rw.RUnlock()
				}
			}
		})
		w.together(2, func(i int) {
			for range 10 {
				if i == 0 {
					rw.Lock()
					rw.Unlock()
				} else {
					rw.RLock()
					rw.RUnlock()
				}
			}
		})
		stop.Store(true)
		hogs()
	})
}

func TestRWMutexRefusesWhatCannotBe(t *testing.T) {
	var rw RWMutex
	check := func() {
		t.Helper()
		wantMessage(t, "greenthread: RUnlock of unlocked RWMutex", rw.RUnlock)
	}
	unlocked := func() {
		t.Helper()
		wantMessage(t, "greenthread: Unlock of unlocked RWMutex", rw.Unlock)
	}
	check()
	unlocked()
	rw.RLock()
	unlocked()
	rw.RUnlock()
	rw.Lock()
	check()
	rw.Unlock()
	if !rw.TryLock() {
		t.Error("something was broken")
	}
}

func TestRWMutexAllocatesNothing(t *testing.T) {
	var rw RWMutex
	wantNoAllocations(t, "RLock, Lock", func() {
		rw.RLock()
		rw.RUnlock()
		rw.Lock()
		rw.Unlock()
	})
}

func TestCondWithTheLocksOfARWMutex(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		var rw RWMutex
		for _, l := range []sync.Locker{&rw, rw.RLocker()} {
			c := NewCond(l)
			wait := w.started(3, func(int) {
				l.Lock()
				c.Wait()
				l.Unlock()
			})
			queued(&c.guard, &c.queue, 3)
			c.Broadcast()
			wait()
		}
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		wantErr(t, rw.LockContext(ctx), nil)
	})
}
