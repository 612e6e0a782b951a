//go:build linux

package runtime_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	green "greenthread/runtime"
)

// everyWait are the ways in which a thread is switched out, or waits with its carrier.
func everyWait(m *green.Mutex) {
	green.Yield()
	green.Sleep(20 * time.Microsecond)
	green.ParkTimeout(20 * time.Microsecond)
	m.Lock()
	green.Yield()
	m.Unlock()
	runtime.Gosched()
	time.Sleep(20 * time.Microsecond)
}

// TestLockedThreadsStayOnTheirKernelThread, whatever they wait for, also in a coroutine; and
// they are free again when they have unlocked.
func TestLockedThreadsStayOnTheirKernelThread(t *testing.T) {
	var m green.Mutex
	onFour(t, green.Config{Carriers: 2}, func() {
		for range 10 {
			everyWait(&m)
			runtime.LockOSThread()
			tid := unix.Gettid()
			for range 5 {
				everyWait(&m)
				if got := unix.Gettid(); got != tid {
					t.Errorf("locked to kernel thread %d, but on %d", tid, got)
				}
			}
			if green.Backend().Native { // else a coroutine is a goroutine of its own
				wantError(t, green.Do(func() {
					everyWait(&m)
					if got := unix.Gettid(); got != tid {
						t.Errorf("a Do of one that is locked to kernel thread %d runs on %d", tid, got)
					}
				}), nil)
			}
			runtime.UnlockOSThread()
		}
	})
}

// TestLockThreadsKeepsThreadsOnKernelThreads, from one switch to the next, though they block in
// Go meanwhile.
func TestLockThreadsKeepsThreadsOnKernelThreads(t *testing.T) {
	needNative(t)
	onFour(t, green.Config{Carriers: 2, LockThreads: true}, func() {
		for range 20 {
			tid := unix.Gettid()
			for range 5 {
				time.Sleep(20 * time.Microsecond)
				runtime.Gosched()
				if got := unix.Gettid(); got != tid {
					t.Errorf("on kernel thread %d, and then on %d", tid, got)
				}
			}
			green.Yield()
		}
	})
}

// onFour runs fn on four threads of a runtime like that, next to others that keep Go busy.
func onFour(t *testing.T, c green.Config, fn func()) {
	t.Helper()
	defer churn()()
	r, err := green.New(c)
	wantError(t, err, nil)
	var threads []*green.Thread
	for range 4 {
		th, err := r.Go(fn)
		wantError(t, err, nil)
		threads = append(threads, th)
	}
	for _, th := range threads {
		wantError(t, th.Join(context.Background()), nil)
	}
	wantError(t, r.Close(context.Background()), nil)
}
