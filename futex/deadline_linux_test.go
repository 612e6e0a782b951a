package futex_test

import (
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"greenthread/futex"
)

func TestTheClockIsTheKernels(t *testing.T) {
	read := func() futex.Deadline {
		var ts unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
			t.Fatal(err)
		}
		return futex.Deadline(ts.Nano())
	}
	if before, now, after := read(), futex.Now(), read(); now < before || after < now {
		t.Error(before, now, after)
	}
	// A bubble's clock is not the kernel's.
	synctest.Test(t, func(*testing.T) {
		time.Sleep(time.Hour)
		if d := futex.Now(); d > read() {
			t.Error("Now follows the clock of a bubble")
		}
	})
}

func TestTimespecsReachBeyond2038(t *testing.T) {
	century := futex.Deadline(100 * 365 * 24 * time.Hour)
	ts, clipped := century.Timespec()
	if ts.Nano() != int64(century) && !clipped {
		t.Errorf("%v became %v", century, ts)
	}
	if ts, _ := futex.Deadline(-1).Timespec(); ts.Nano() != 0 {
		t.Error("the kernel would refuse a time before the boot")
	}
	// And the kernel takes it: a wake ends the wait, or the word does; not EINVAL.
	word := uint32(1)
	for _, deadline := range []futex.Deadline{century, futex.Never - 1} {
		if err := futex.WaitUntil(&word, 0, deadline, futex.Private); err != nil {
			t.Error(err)
		}
	}
}
