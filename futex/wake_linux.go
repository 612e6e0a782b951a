package futex

// kernelWake wakes n > 0 waiters of addr.
func kernelWake(addr *uint32, n int, scope Scope) (int, error) {
	woken, errno := rawCall(addr, opWake|scope.flag(), operands{val: uint32(n)})
	if errno != 0 {
		return 0, kernelError("wake", addr, errno)
	}
	return woken, nil
}

// kernelWakeBits wakes n > 0 waiters of addr that wait for one of these bits. Without bitsets it cannot tell who
// does, and wakes them all.
func kernelWakeBits(addr *uint32, n int, bits uint32, scope Scope) (int, error) {
	if !FeatureBitset.Available() {
		return kernelWake(addr, WakeAll, scope)
	}
	woken, errno := rawCall(addr, opWakeBitset|scope.flag(), operands{val: uint32(n), val3: bits})
	if errno != 0 {
		return 0, kernelError("wake", addr, errno)
	}
	return woken, nil
}
