package doctor

import "golang.org/x/sys/unix"

// readLimits reads the limits of this process.
func (f *Facts) readLimits() {
	f.SpaceMax = softLimit(unix.RLIMIT_AS)
	f.Kernel.UserMax = softLimit(unix.RLIMIT_NPROC)
}

// softLimit returns a limit, 0 where there is none.
func softLimit(resource int) uint64 {
	var r unix.Rlimit
	if unix.Getrlimit(resource, &r) != nil || r.Cur == unix.RLIM_INFINITY {
		return 0
	}
	return r.Cur
}
