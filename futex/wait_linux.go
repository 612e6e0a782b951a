package futex

import (
	"time"

	"golang.org/x/sys/unix"
)

// kernelWait sleeps while *addr == val, until somebody wakes one of these bits or until end. The timeout is absolute, so
// to start over after a signal is to go on: no time is lost or won.
func kernelWait(addr *uint32, val, bits uint32, end instant, scope Scope) error {
	if !FeatureBitset.Available() {
		return plainWait(addr, val, end, scope)
	}
	op := opWaitBitset | scope.flag() | end.flag()
	for {
		errno := blockingCall(addr, op, operands{val: val, timeout: end.timeout(), val3: bits})
		switch errno {
		case 0, unix.EAGAIN: // woken; or *addr != val
			return nil
		case unix.EINTR:
		case unix.ETIMEDOUT:
			if !end.clipped || end.left() == 0 {
				return ErrTimeout
			}
		default:
			return kernelError("wait", addr, errno)
		}
	}
}

// longestNap bounds a relative timeout that stands for a point on the wall clock, so that it is noticed when somebody
// sets the clock.
const longestNap = time.Second

// plainWait is kernelWait by FUTEX_WAIT, whose timeout is relative and has to be taken anew after each signal. It hears
// wakes of any bit.
func plainWait(addr *uint32, val uint32, end instant, scope Scope) error {
	op := opWait | scope.flag()
	for {
		var timeout *unix.Timespec
		if !end.endless {
			nap := end.left()
			if end.realtime {
				nap = min(nap, longestNap)
			}
			rest, _ := Deadline(nap).timespec()
			timeout = &rest
		}
		switch errno := blockingCall(addr, op, operands{val: val, timeout: timeout}); errno {
		case 0, unix.EAGAIN:
			return nil
		case unix.EINTR:
		case unix.ETIMEDOUT:
			if end.left() == 0 {
				return ErrTimeout
			}
		default:
			return kernelError("wait", addr, errno)
		}
	}
}
