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
