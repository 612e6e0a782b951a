package futex

import (
	"os"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Operations of futex(2), which x/sys/unix does not name.
const (
	opWait          = 0  // FUTEX_WAIT: its timeout is relative
	opWake          = 1  // FUTEX_WAKE
	opRequeue       = 3  // FUTEX_REQUEUE
	opCmpRequeue    = 4  // FUTEX_CMP_REQUEUE
	opWakeOp        = 5  // FUTEX_WAKE_OP
	opLockPI        = 6  // FUTEX_LOCK_PI: its timeout is on CLOCK_REALTIME
	opUnlockPI      = 7  // FUTEX_UNLOCK_PI
	opTryLockPI     = 8  // FUTEX_TRYLOCK_PI
	opWaitBitset    = 9  // FUTEX_WAIT_BITSET: FUTEX_WAIT, but the timeout is absolute
	opWakeBitset    = 10 // FUTEX_WAKE_BITSET
	opWaitRequeuePI = 11 // FUTEX_WAIT_REQUEUE_PI
	opCmpRequeuePI  = 12 // FUTEX_CMP_REQUEUE_PI
	opLockPI2       = 13 // FUTEX_LOCK_PI2: FUTEX_LOCK_PI, but the timeout is on CLOCK_MONOTONIC

	flagPrivate  = 128 // FUTEX_PRIVATE_FLAG
	flagRealtime = 256 // FUTEX_CLOCK_REALTIME

	// The seam's names for system calls of their own.
	callWaitV  = 1 << 16 // futex_waitv(2)
	callRobust = 1 << 17 // set_robust_list(2)
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

// operands are the arguments of futex(2) beside the address and the operation. Their names are those of the manual.
type operands struct {
	val     uint32
	timeout *unix.Timespec
	val2    uint32 // takes the place of timeout in operations that never wait
	addr2   *uint32
	val3    uint32
}

// blockingCall makes a system call that may sleep. Syscall6 tells the scheduler before and after, so that the P does not
// sleep too.
func blockingCall(addr *uint32, op uint32, o operands) unix.Errno {
	if errno := refused(op); errno != 0 {
		return errno
	}
	_, _, errno := unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(addr)), uintptr(op), uintptr(o.val),
		uintptr(unsafe.Pointer(o.timeout)), uintptr(unsafe.Pointer(o.addr2)), uintptr(o.val3))
	return errno
}

// rawCall makes a system call that never sleeps, so the scheduler need not hear of it.
func rawCall(addr *uint32, op uint32, o operands) (int, unix.Errno) {
	if errno := refused(op); errno != 0 {
		return 0, errno
	}
	n, _, errno := unix.RawSyscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(addr)), uintptr(op), uintptr(o.val),
		uintptr(o.val2), uintptr(unsafe.Pointer(o.addr2)), uintptr(o.val3))
	return int(n), errno
}

func kernelError(op string, addr *uint32, errno unix.Errno) error {
	if errno == unix.EFAULT {
		return &AddressError{Op: op, Addr: uintptr(unsafe.Pointer(addr)), Err: errno}
	}
	return os.NewSyscallError("futex "+op, errno)
}
