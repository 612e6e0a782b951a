package futex

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

const tidMask = TIDMask

var (
	errNoPI        = fmt.Errorf("futex: priority inheritance: %w by this kernel", errors.ErrUnsupported)
	errNoRequeuePI = fmt.Errorf("futex: requeueing with priority inheritance: %w by this kernel", errors.ErrUnsupported)
)

func kernelLockPI(addr *uint32, deadline Deadline, scope Scope) error {
	if !FeaturePI.Available() {
		return errNoPI
	}
	end, op := deadline.instant(), uint32(opLockPI2)
	moved := deadline != Never && !FeatureMonotonicPI.Available()
	if moved || deadline == Never {
		op = opLockPI
	}
	for {
		if moved { // to the only clock that this operation knows
			left := max(0, deadline.Until())
			end.at, _ = readClock(unix.CLOCK_REALTIME).Add(left).timespec()
		}
		switch errno := blockingCall(addr, op|scope.flag(), operands{timeout: end.timeout()}); errno {
		case 0:
			return nil
		case unix.EINTR, unix.EAGAIN: // a signal; or the owner is about to end, and has not yet cleaned up
		case unix.ETIMEDOUT:
			if !moved && !end.clipped || deadline.Passed() {
				return ErrTimeout
			}
		default:
			return kernelError("lock-pi", addr, errno)
		}
	}
}

func kernelTryLockPI(addr *uint32, scope Scope) (bool, error) {
	if !FeaturePI.Available() {
		return false, errNoPI
	}
	switch _, errno := rawCall(addr, opTryLockPI|scope.flag(), operands{}); errno {
	case 0:
		return true, nil
	case unix.EAGAIN, unix.EDEADLK: // another thread has it; or this one
		return false, nil
	default:
		return false, kernelError("trylock-pi", addr, errno)
	}
}

func kernelUnlockPI(addr *uint32, scope Scope) error {
	if !FeaturePI.Available() {
		return errNoPI
	}
	for {
		switch _, errno := rawCall(addr, opUnlockPI|scope.flag(), operands{}); errno {
		case 0:
			return nil
		case unix.EAGAIN, unix.EINTR:
		default:
			return kernelError("unlock-pi", addr, errno)
		}
	}
}

// kernelWaitRequeuePI does not start over after EINTR: the kernel does so itself as long as the thread sleeps on addr, and
// later pi may have been given to it and taken away.
func kernelWaitRequeuePI(addr *uint32, val uint32, pi *uint32, deadline Deadline, scope Scope) error {
	if !FeatureRequeuePI.Available() {
		return errNoRequeuePI
	}
	end := deadline.instant()
	switch errno := blockingCall(addr, opWaitRequeuePI|scope.flag(),
		operands{val: val, timeout: end.timeout(), addr2: pi}); errno {
	case 0:
		return nil
	case unix.EAGAIN, unix.EINTR:
		return ErrChanged
	case unix.ETIMEDOUT:
		if end.clipped && !deadline.Passed() {
			return ErrChanged
		}
		return ErrTimeout
	default:
		return kernelError("wait-requeue-pi", addr, errno)
	}
}

// kernelCmpRequeuePI tells EAGAIN's two meanings apart by the word itself, since an owner about to end is no reason to give up.
func kernelCmpRequeuePI(addr, pi *uint32, val uint32, move int, scope Scope) (int, error) {
	if !FeatureRequeuePI.Available() {
		return 0, errNoRequeuePI
	}
	for {
		n, errno := rawCall(addr, opCmpRequeuePI|scope.flag(),
			operands{val: 1, val2: uint32(move), addr2: pi, val3: val})
		switch errno {
		case 0:
			return n, nil
		case unix.EAGAIN:
			if changed([]Word{{Addr: addr, Val: val}}) == 0 {
				return 0, ErrChanged
			}
		case unix.EINTR:
		default:
			return 0, kernelError("requeue-pi", addr, errno)
		}
	}
}
