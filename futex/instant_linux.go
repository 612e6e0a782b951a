package futex

import (
	"time"

	"golang.org/x/sys/unix"
)

// instant is the end of a wait as the kernel takes it: absolute, on one of two clocks.
type instant struct {
	at       unix.Timespec
	endless  bool
	realtime bool
	clipped  bool     // at is earlier than what it stands for, since a 32-bit timespec ends before that
	deadline Deadline // the original, on CLOCK_MONOTONIC
	wall     time.Time
}

// instant returns d on CLOCK_MONOTONIC.
func (d Deadline) instant() instant {
	if d == Never {
		return instant{endless: true}
	}
	at, clipped := d.timespec()
	return instant{at: at, clipped: clipped, deadline: d}
}

// wallInstant returns t on CLOCK_REALTIME. The kernel takes any second from 1970 to the end of its 64 bits.
func wallInstant(t time.Time) instant {
	if t.IsZero() {
		return instant{endless: true}
	}
	at := unix.Timespec{} // what lies before 1970 has passed
	clipped := false
	switch s := t.Unix(); {
	case s > lastSecond:
		at, clipped = timespecOf(lastSecond, 0), true
	case s >= 0:
		at = timespecOf(s, int64(t.Nanosecond()))
	}
	return instant{at: at, realtime: true, clipped: clipped, wall: t}
}

// lastSecond is the last one that a timespec can name.
const lastSecond = 1<<(8*sizeofSec-1) - 1

// timespecOf makes a timespec whose fields may have 32 or 64 bits.
func timespecOf(sec, nsec int64) (ts unix.Timespec) {
	setInt(&ts.Sec, sec)
	setInt(&ts.Nsec, nsec)
	return ts
}

func setInt[T ~int32 | ~int64](to *T, v int64) { *to = T(v) }

// timeout is at, or nil for ever.
func (i *instant) timeout() *unix.Timespec {
	if i.endless {
		return nil
	}
	return &i.at
}

// flag is what has to be added to an operation for the clock.
func (i *instant) flag() uint32 {
	if i.realtime {
		return flagRealtime
	}
	return 0
}

// left is how long it is until then, 0 when that has passed.
func (i *instant) left() time.Duration {
	switch {
	case i.endless:
		return 1<<63 - 1
	case i.realtime:
		return max(0, time.Until(i.wall.Round(0)))
	}
	return max(0, i.deadline.Until())
}
