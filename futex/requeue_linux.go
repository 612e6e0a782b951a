package futex

import (
	"math"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// kernelRequeue compares *from with *val first, where there is a val.
func kernelRequeue(from, to, val *uint32, wake, move int, scope Scope) (int, error) {
	if !FeatureRequeue.Available() {
		return wakeInstead(from, val, wake, move, scope)
	}
	o := operands{val: uint32(wake), val2: uint32(move), addr2: to}
	op := uint32(opRequeue)
	if val != nil {
		op, o.val3 = opCmpRequeue, *val
	}
	switch n, errno := rawCall(from, op|scope.flag(), o); errno {
	case 0:
		return n, nil
	case unix.EAGAIN:
		return 0, ErrChanged
	default:
		return 0, kernelError("requeue", from, errno)
	}
}

// wakeInstead wakes all who should be woken or moved. It compares some time before it does so; a waiter that comes in
// between is woken for no reason.
func wakeInstead(from, val *uint32, wake, move int, scope Scope) (int, error) {
	if val != nil && atomic.LoadUint32(from) != *val {
		return 0, ErrChanged
	}
	n := min(int64(wake)+int64(move), math.MaxInt32)
	if n == 0 {
		return 0, nil
	}
	return kernelWake(from, int(n), scope)
}
