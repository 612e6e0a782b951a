package futex

// matchAny are the bits of a Wait, and of a Wake: all of them.
const matchAny = 1<<32 - 1

// WaitBitset is WaitUntil for some of the reasons one may be woken for: a WakeBitset rouses it only if the two have a
// bit in common, and a Wake always does. So waiters of several kinds can sleep on one word, such as the readers and the
// writer of a lock. With no bit set, nobody could ever wake it, so that is an error.
//
// Where the kernel has no bitsets (FeatureBitset), it may be woken by others' bits too.
func WaitBitset(addr *uint32, val, bits uint32, deadline Deadline, scope Scope) error {
	if err := checkAddress("wait", addr); err != nil {
		return err
	}
	if bits == 0 {
		return errNoBits
	}
	return kernelWait(onHeap(addr), val, bits, deadline.instant(), scope)
}

// WakeBitset wakes up to n of the threads that wait on addr for one of these bits, and returns how many that were.
func WakeBitset(addr *uint32, n int, bits uint32, scope Scope) (woken int, err error) {
	if err := checkAddress("wake", addr); err != nil {
		return 0, err
	}
	if bits == 0 {
		return 0, errNoBits
	}
	if n <= 0 {
		return 0, nil
	}
	return kernelWakeBits(onHeap(addr), min(n, WakeAll), bits, scope)
}
