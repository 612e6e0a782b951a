package futex

import (
	"math"
	"time"
)

// Deadline is a point in time on the monotonic clock, in nanoseconds: on Linux CLOCK_MONOTONIC, which counts from boot
// and stands still while the machine is suspended; elsewhere the monotonic clock of package time, counted from the
// start of the process.
//
// A Deadline is absolute, so a wait that is interrupted and entered again ends when it was always meant to. It is an
// integer, so deadlines are ordered by < and sort as such. Nobody can set the clock it is read on, and a deadline on
// the wall clock is deliberately another matter.
//
// The zero Deadline, and any negative one, lies in the past: waiting until then is a poll.
type Deadline int64

// Never is later than any point in time. Waiting until Never is waiting without a limit.
const Never Deadline = math.MaxInt64

// Now returns the present as a Deadline. It reads the real clock, in a synctest bubble too: the kernel knows no other.
func Now() Deadline { return monotonic() }

// After returns the Deadline that lies d from now. A sum beyond the clock's range is Never.
func After(d time.Duration) Deadline { return Now().Add(d) }

// At returns the Deadline at which t will have come, by t's monotonic reading where it has one and else by what is
// missing on the wall clock right now. The zero Time, as in package net, means no deadline: Never.
func At(t time.Time) Deadline {
	if t.IsZero() {
		return Never
	}
	return After(time.Until(t))
}

// Add returns the Deadline that lies d after this one. A sum beyond the clock's range stays at the end of the range,
// and Never stays Never.
func (d Deadline) Add(by time.Duration) Deadline {
	sum := d + Deadline(by)
	switch {
	case d == Never, by > 0 && sum < d:
		return Never
	case by < 0 && sum > d:
		return math.MinInt64
	}
	return sum
}

// Until returns how long it is until d, negative when d has passed. Until Never it is the longest Duration.
func (d Deadline) Until() time.Duration {
	if d == Never {
		return math.MaxInt64
	}
	left := d - Now()
	if d < 0 && left > 0 { // the difference ran over
		return math.MinInt64
	}
	return time.Duration(left)
}

// Passed reports whether d has come. It reads the clock only where it must.
func (d Deadline) Passed() bool {
	return d <= 0 || d != Never && d <= Now()
}
