package futex_test

import (
	"os"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"greenthread/futex"
)

// onEachKernel runs the test on this kernel as it is, and on one that does not know FUTEX_PRIVATE_FLAG.
func onEachKernel(t *testing.T, test func(t *testing.T)) {
	t.Run("this kernel", func(t *testing.T) {
		watchdog(t)
		test(t)
	})
	if os.Getenv(refuseEnv) != "" { // this kernel refuses enough
		return
	}
	t.Run("private refused", func(t *testing.T) {
		watchdog(t)
		refusePrivate(t)
		test(t)
	})
}

// refusePrivate makes every private operation fail, as it did before Linux 2.6.22, and forgets what the probe found.
func refusePrivate(t *testing.T) {
	t.Helper()
	restore := futex.Intercept(func(op uint32) unix.Errno {
		if op&futex.FlagPrivate != 0 {
			return unix.ENOSYS
		}
		return 0
	})
	futex.ForgetProbe()
	t.Cleanup(func() {
		restore()
		futex.ForgetProbe()
	})
}

// underFire runs f on a kernel thread of its own, at which SIGURG is sent about ten thousand times a second until f is
// done. It returns how many were sent.
func underFire(f func()) (shots int) {
	tid := make(chan int)
	done := make(chan struct{})
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(done)
		tid <- unix.Gettid()
		f()
	}()
	target := <-tid
	for {
		select {
		case <-done:
			return shots
		default:
			if unix.Tgkill(unix.Getpid(), target, unix.SIGURG) == nil {
				shots++
			}
			// The kernel's sleep, which adds some 50 us of slack; Go's can add a millisecond.
			unix.Nanosleep(&unix.Timespec{Nsec: 20_000}, nil)
		}
	}
}
