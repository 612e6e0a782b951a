package futex

import "sync/atomic"

func kernelWakeOp(first, second *uint32, n, nSecond int, op WordOp, scope Scope) (int, error) {
	if n <= 0 || nSecond <= 0 || !FeatureWakeOp.Available() { // the kernel would wake one each
		return wakeOpInSteps(first, second, n, nSecond, op, scope)
	}
	woken, errno := rawCall(first, opWakeOp|scope.flag(),
		operands{val: uint32(n), val2: uint32(nSecond), addr2: second, val3: op.code})
	if errno != 0 {
		return 0, kernelError("wake-op", first, errno)
	}
	return woken, nil
}

// wakeOpInSteps changes the word first, so a waiter that compares later knows, and one that sleeps already is woken.
func wakeOpInSteps(first, second *uint32, n, nSecond int, op WordOp, scope Scope) (int, error) {
	var holds bool
	for {
		old := atomic.LoadUint32(second)
		now, ok := op.apply(old)
		if atomic.CompareAndSwapUint32(second, old, now) {
			holds = ok
			break
		}
	}
	woken := 0
	if n > 0 {
		k, err := kernelWake(first, n, scope)
		if err != nil {
			return 0, err
		}
		woken = k
	}
	if holds && nSecond > 0 {
		k, err := kernelWake(second, nSecond, scope)
		if err != nil {
			return woken, err
		}
		woken += k
	}
	return woken, nil
}
