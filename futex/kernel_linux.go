package futex

import (
	"os"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Operations of futex(2), which x/sys/unix does not name.
const (
	opWake       = 1         // FUTEX_WAKE
	opWaitBitset = 9         // FUTEX_WAIT_BITSET: FUTEX_WAIT, but the timeout is absolute
	flagPrivate  = 128       // FUTEX_PRIVATE_FLAG
	matchAny     = 1<<32 - 1 // FUTEX_BITSET_MATCH_ANY
)

// seam, when set, is asked before each system call of this package and refuses it by an errno other than 0, as an older
// kernel or a seccomp filter would. Tests count and refuse calls with it; nothing else sets it.
var seam atomic.Pointer[func(op uint32) unix.Errno]

func refused(op uint32) unix.Errno {
	if ask := seam.Load(); ask != nil {
		return (*ask)(op)
	}
	return 0
}

// kernelWait sleeps while *addr == val until deadline. The timeout is absolute, so to start over after a signal is to
// go on: no time is lost or won.
func kernelWait(addr *uint32, val uint32, deadline Deadline, scope Scope) error {
	var (
		ts      unix.Timespec
		timeout *unix.Timespec // nil is for ever
		clipped bool
	)
	if deadline != Never {
		ts, clipped = deadline.timespec()
		timeout = &ts
	}
	op := opWaitBitset | scope.flag()
	for {
		switch errno := waitBitset(addr, op, val, timeout); errno {
		case 0, unix.EAGAIN: // woken; or *addr != val
			return nil
		case unix.EINTR:
		case unix.ETIMEDOUT:
			if !clipped || deadline.Passed() {
				return ErrTimeout
			}
		default:
			return kernelError("wait", addr, errno)
		}
	}
}

// waitBitset is the one place that blocks. Syscall6 tells the scheduler before and after, so that the P does not sleep too.
func waitBitset(addr *uint32, op, val uint32, timeout *unix.Timespec) unix.Errno {
	if errno := refused(op); errno != 0 {
		return errno
	}
	_, _, errno := unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(addr)), uintptr(op), uintptr(val),
		uintptr(unsafe.Pointer(timeout)), 0, matchAny)
	return errno
}

// kernelWake wakes n > 0 waiters of addr.
func kernelWake(addr *uint32, n int, scope Scope) (int, error) {
	woken, errno := wake(addr, opWake|scope.flag(), n)
	if errno != 0 {
		return 0, kernelError("wake", addr, errno)
	}
	return woken, nil
}

// wake never blocks, so the scheduler need not hear of it: RawSyscall.
func wake(addr *uint32, op uint32, n int) (int, unix.Errno) {
	if errno := refused(op); errno != 0 {
		return 0, errno
	}
	woken, _, errno := unix.RawSyscall(unix.SYS_FUTEX, uintptr(unsafe.Pointer(addr)), uintptr(op), uintptr(n))
	return int(woken), errno
}

func kernelError(op string, addr *uint32, errno unix.Errno) error {
	if errno == unix.EFAULT {
		return &AddressError{Op: op, Addr: uintptr(unsafe.Pointer(addr)), Err: errno}
	}
	return os.NewSyscallError("futex "+op, errno)
}
