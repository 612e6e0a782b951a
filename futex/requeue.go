package futex

// Requeue wakes up to wake of the threads that wait on from, and moves up to move of the others over to to, where they go
// on sleeping as if they had waited there all the time. It returns how many it woke or moved.
//
// So a broadcast need not wake a crowd of which all but one would only queue up for the same lock. Use CmpRequeue where
// waiters may come meanwhile, which is nearly always.
//
// Where the kernel refuses it (FeatureRequeue), those who would be moved are woken: to them, that is a wake-up for no
// reason.
func Requeue(from, to *uint32, wake, move int, scope Scope) (affected int, err error) {
	if err := checkPair("requeue", from, to); err != nil {
		return 0, err
	}
	return kernelRequeue(onHeap(from), onHeap(to), nil, max(0, min(wake, WakeAll)), max(0, min(move, WakeAll)), scope)
}

// CmpRequeue is Requeue, provided *from is still val: the kernel compares before it wakes or moves anyone, in one step with
// it, and otherwise CmpRequeue returns ErrChanged.
func CmpRequeue(from, to *uint32, val uint32, wake, move int, scope Scope) (affected int, err error) {
	if err := checkPair("requeue", from, to); err != nil {
		return 0, err
	}
	return kernelRequeue(onHeap(from), onHeap(to), &val, max(0, min(wake, WakeAll)), max(0, min(move, WakeAll)), scope)
}
