package futex

import "golang.org/x/sys/unix"

const (
	OpWake      = opWake
	FlagPrivate = flagPrivate
)

// Intercept has every system call of the package go through before first, and returns a function that puts back what
// was there.
func Intercept(before func(op uint32) unix.Errno) (restore func()) {
	old := seam.Load()
	chained := func(op uint32) unix.Errno {
		if old != nil {
			if errno := (*old)(op); errno != 0 {
				return errno
			}
		}
		return before(op)
	}
	seam.Store(&chained)
	return func() { seam.Store(old) }
}

// ForgetProbe makes the next calls probe again.
func ForgetProbe() {
	for i := range known {
		known[i].Store(notProbed)
	}
}

// Timespec is what the kernel would be given.
func (d Deadline) Timespec() (ts unix.Timespec, clipped bool) { return d.timespec() }

// Apply is what a WakeOp does to its second word, computed here.
func Apply(op WordOp, old uint32) (now uint32, holds bool) { return op.apply(old) }
