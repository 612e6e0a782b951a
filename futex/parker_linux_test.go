//go:build linux && !futexportable

package futex_test

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"greenthread/futex"
)

// tally counts the system calls that the package makes.
type tally struct {
	waits, wakes, private atomic.Int32
}

// count starts a tally. The probe is over by then, so that it does not count.
func count(t *testing.T) *tally {
	t.Helper()
	if _, err := futex.Wake(new(uint32), 1, futex.Private); err != nil {
		t.Fatal(err)
	}
	calls := new(tally)
	t.Cleanup(futex.Intercept(func(op uint32) unix.Errno {
		if op&futex.FlagPrivate != 0 {
			calls.private.Add(1)
		}
		switch op &^ futex.FlagPrivate {
		case futex.OpWake:
			calls.wakes.Add(1)
		default:
			calls.waits.Add(1)
		}
		return 0
	}))
	return calls
}

func TestUncontendedTokensMakeNoSystemCall(t *testing.T) {
	onEachKernel(t, func(t *testing.T) {
		calls := count(t)
		var p futex.Parker
		for range 1000 {
			p.Unpark()
			p.Unpark()
			p.Park()
			p.ParkUntil(0)
		}
		if waits, wakes := calls.waits.Load(), calls.wakes.Load(); waits+wakes != 0 {
			t.Errorf("%d waits, %d wakes", waits, wakes)
		}
	})
}

func TestUnparkOfASleeperMakesOneSystemCall(t *testing.T) {
	onEachKernel(t, func(t *testing.T) {
		calls := count(t)
		var p futex.Parker
		for i := range int32(100) {
			join := parkedIn(&p, p.Park)
			if i%2 == 0 { // also when the sleeper has not only announced it
				time.Sleep(100 * time.Microsecond)
			}
			p.Unpark()
			p.Unpark() // finds a token, or nobody
			join()
			p.ParkUntil(0) // the second one's token, if it came after the first was taken
			if wakes := calls.wakes.Load(); wakes != i+1 {
				t.Fatalf("%d wakes for %d sleeps", wakes, i+1)
			}
		}
	})
}

func TestParkerIsPrivateUnlessRefused(t *testing.T) {
	watchdog(t)
	calls := count(t)
	var p futex.Parker
	join := parkedIn(&p, p.Park)
	p.Unpark()
	join()
	if calls.private.Load() != calls.waits.Load()+calls.wakes.Load() {
		t.Error("a Parker made a shared call")
	}
	refusePrivate(t)
	calls = count(t)
	join = parkedIn(&p, p.Park)
	p.Unpark()
	join()
	if calls.private.Load() != 0 || calls.wakes.Load() == 0 {
		t.Error("a Parker made a private call after the refusal")
	}
}

func TestSignalsDoNotEndAPark(t *testing.T) {
	onEachKernel(t, func(t *testing.T) {
		var p futex.Parker
		shots := underFire(func() {
			for range 10 {
				deadline := futex.After(10 * time.Millisecond)
				if p.ParkUntil(deadline) {
					t.Error("took a token that nobody left")
				}
				if left := deadline.Until(); left > 0 {
					t.Errorf("gave up %v before the deadline", left)
				}
			}
			time.AfterFunc(10*time.Millisecond, p.Unpark)
			p.Park()
			if p.ParkUntil(0) {
				t.Error("two tokens")
			}
		})
		t.Logf("%d signals", shots)
	})
}

func TestAParkedThreadUsesNoCPU(t *testing.T) {
	watchdog(t)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	used := func() time.Duration {
		var ts unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts); err != nil {
			t.Fatal(err)
		}
		return time.Duration(ts.Nano())
	}
	var p futex.Parker
	before := used()
	p.ParkUntil(futex.After(200 * time.Millisecond))
	if spent := used() - before; spent > 10*time.Millisecond {
		t.Errorf("%v of 200ms", spent)
	}
}

func TestParkerIsSmall(t *testing.T) {
	if size := unsafe.Sizeof(futex.Parker{}); size > 8 {
		t.Errorf("%d bytes", size)
	}
}

// Its word is what the kernel knows the sleeper by, and must not move with a stack.
func TestAParkerIsNeverOnAStack(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	if n := testing.AllocsPerRun(100, func() {
		var p futex.Parker
		p.Unpark()
		p.Park()
	}); n != 1 {
		t.Errorf("%v allocations, want 1", n)
	}
}
