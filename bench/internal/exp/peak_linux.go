package exp

import (
	"os"

	"golang.org/x/sys/unix"
)

// peakMemory returns the most that was resident of this process, in bytes.
func peakMemory() (int64, error) {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0, os.NewSyscallError("getrusage", err)
	}
	return int64(u.Maxrss) << 10, nil
}
