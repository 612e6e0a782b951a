//go:build unix

package measure

import (
	"time"

	"golang.org/x/sys/unix"
)

// kernelUsage asks the kernel for its counts since the start of the process.
func kernelUsage() (u Usage) {
	var r unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &r) == nil {
		u.Kernel = true
		u.MinorFaults, u.Voluntary, u.Involuntary = int64(r.Minflt), int64(r.Nvcsw), int64(r.Nivcsw)
	}
	return u
}

// OwnCPUTime returns the time that this process and its ended children have run.
func OwnCPUTime() (sum time.Duration) {
	for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var r unix.Rusage
		if unix.Getrusage(who, &r) == nil {
			sum += time.Duration(r.Utime.Nano() + r.Stime.Nano())
		}
	}
	return sum
}
