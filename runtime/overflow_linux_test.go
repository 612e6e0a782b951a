package runtime

import (
	"os"
	"runtime"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// What an overflow does about preemption must not begin anew while its panic runs.
func TestStackOverflowPanicsOnceInAStormOfPreemptions(t *testing.T) {
	needsNative(t)
	runtime.LockOSThread() // the body runs here, too
	defer runtime.UnlockOSThread()
	here := syscall.Gettid()
	stop := make(chan struct{})
	var storm sync.WaitGroup
	storm.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				_ = unix.Tgkill(os.Getpid(), here, syscall.SIGURG)
			}
		}
	})
	deferred := 0
	for range 100 {
		deferred = 0
		overflowIn(t, func() {
			defer func() { deferred++ }()
			recurse(1 << 40)
		})
		if deferred != 1 {
			t.Errorf("a deferred call has run %d times", deferred)
		}
	}
	close(stop)
	storm.Wait()
}

func TestRecoveredStackOverflowDoesNotPanicAgainWhenPreempted(t *testing.T) {
	needsNative(t)
	panics := 0
	var deep func()
	deep = func() { // the innermost call recovers, the others are preempted on their way back
		defer func() {
			if recover() != nil {
				panics++
			}
		}()
		if panics == 0 {
			deep()
		}
		_ = unix.Tgkill(os.Getpid(), syscall.Gettid(), syscall.SIGURG)
		indent(1, func() {})
	}
	if err := Do(deep); err != nil {
		t.Fatal(err)
	}
	if panics != 1 {
		t.Errorf("one overflow made %d panics", panics)
	}
}
