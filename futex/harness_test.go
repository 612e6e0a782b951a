package futex_test

import (
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"time"

	"greenthread/futex"
)

// watchdog ends the whole process, with every goroutine's stack, when the test hangs: what hangs here sleeps in the
// kernel, where no test timeout could reach it in a friendlier way.
func watchdog(t *testing.T) {
	t.Helper()
	timer := time.AfterFunc(30*time.Second, func() {
		debug.SetTraceback("all")
		panic("watchdog: " + t.Name() + " hangs: a wake-up was lost")
	})
	t.Cleanup(func() { timer.Stop() })
}

// rounds is n, or less where that would take long.
func rounds(n int) int {
	if testing.Short() {
		n /= 10
	}
	if raceEnabled {
		n /= 4
	}
	return n
}

// eventually waits for a condition that another goroutine is about to make true.
func eventually(condition func() bool) {
	for !condition() {
		runtime.Gosched()
	}
}

// parkedIn starts park on a goroutine of its own, returns when p sleeps in it, and gives back a function that waits
// for its end.
func parkedIn(p *futex.Parker, park func()) (join func()) {
	var done sync.WaitGroup
	done.Go(park)
	eventually(func() bool { return futex.Asleep(p) })
	return done.Wait
}

func withoutSpinning(t *testing.T) {
	t.Helper()
	t.Cleanup(futex.SetSpinning(false))
}
