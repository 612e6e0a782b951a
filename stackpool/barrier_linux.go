package stackpool

import "golang.org/x/sys/unix"

// The commands of membarrier(2) in use here.
const (
	membarrierPrivateExpedited         = 1 << 3
	membarrierRegisterPrivateExpedited = 1 << 4
)

// barrierProbe registers the process for barriers, once, and reports whether
// there are any (Linux 4.14; a filter may forbid them).
func barrierProbe() bool {
	return membarrier(membarrierRegisterPrivateExpedited) == 0 && membarrier(membarrierPrivateExpedited) == 0
}

// barrier returns after every thread of this process has passed a full memory
// barrier. It interrupts those that are running. A child after fork (which Go
// programs do not run in) has the registration too; should the call fail
// nevertheless, no one could be trusted any more.
func barrier() {
	if errno := membarrier(membarrierPrivateExpedited); errno != 0 {
		panic("stackpool: membarrier worked and now fails: " + errno.Error())
	}
}

func membarrier(command uintptr) unix.Errno {
	_, _, errno := unix.Syscall(unix.SYS_MEMBARRIER, command, 0, 0)
	return errno
}
