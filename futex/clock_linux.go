package futex

import (
	"math"
	"unsafe"

	"golang.org/x/sys/unix"
)

// monotonic asks the kernel for the clock that FUTEX_WAIT_BITSET sleeps by. Package time would be cheaper, but counts
// from an origin of its own and, in a synctest bubble, reads a clock the kernel has never heard of.
func monotonic() Deadline { return readClock(unix.CLOCK_MONOTONIC) }

// readClock reads a clock that every kernel has.
func readClock(id int32) Deadline {
	var ts unix.Timespec
	if err := unix.ClockGettime(id, &ts); err != nil {
		panic("futex: clock_gettime: " + err.Error())
	}
	return Deadline(ts.Nano())
}

const sizeofSec = unsafe.Sizeof(unix.Timespec{}.Sec)

// maxSeconds is the last second that both a timespec and a Deadline can name: 292 years after boot, or 68 where a timespec
// has 32 bits.
const maxSeconds = min(lastSecond, math.MaxInt64/1_000_000_000)

// timespec returns d as the kernel takes it. It is exact, except where a 32-bit timespec ends before d does; clipped
// then tells that a timeout may have come too early.
func (d Deadline) timespec() (ts unix.Timespec, clipped bool) {
	if d < 0 { // the kernel refuses negative times; the boot lies in the past as well
		d = 0
	}
	if d/1e9 > maxSeconds {
		d, clipped = maxSeconds*1e9, true
	}
	return unix.NsecToTimespec(int64(d)), clipped
}
