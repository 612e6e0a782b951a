package futex

// The parts of a word that is a lock which inherits priority, or is robust: set_robust_list(2) and the PI operations
// agree on them. A free lock is 0.
const (
	TIDMask   = 1<<30 - 1 // the owner, by its kernel thread's id
	OwnerDied = 1 << 30   // the owner ended without unlocking
	Waiters   = 1 << 31   // somebody sleeps in the kernel, so only the kernel can unlock
)

// LockPI takes the lock whose word addr is, and sleeps until it gets it or until the deadline (ErrTimeout). While threads
// of a higher priority wait, the owner runs with theirs.
//
// The owner is the calling kernel thread. So the goroutine must be locked to its thread (runtime.LockOSThread) until it has
// called UnlockPI. Where the word is 0, storing the thread id in it by a compare-and-swap takes the lock as well, without
// a system call, and back to 0 gives it up; everything else is the kernel's. Lock words start out as 0.
//
// A thread that has the lock gets an error that wraps EDEADLK. If the word names a thread that does not exist, that is ESRCH.
// If the bit OwnerDied of the word is set after LockPI, the last owner died. Where the kernel has no such locks
// (FeaturePI), the error wraps errors.ErrUnsupported.
func LockPI(addr *uint32, deadline Deadline, scope Scope) error {
	if err := checkAddress("lock-pi", addr); err != nil {
		return err
	}
	return kernelLockPI(onHeap(addr), deadline, scope)
}

// TryLockPI takes the lock if it is free, or if its owner died. It never sleeps.
func TryLockPI(addr *uint32, scope Scope) (locked bool, err error) {
	if err := checkAddress("trylock-pi", addr); err != nil {
		return false, err
	}
	return kernelTryLockPI(onHeap(addr), scope)
}

// UnlockPI gives the lock to the waiter of the highest priority, or frees it. An error that wraps EPERM says that the
// calling kernel thread does not own it.
func UnlockPI(addr *uint32, scope Scope) error {
	if err := checkAddress("unlock-pi", addr); err != nil {
		return err
	}
	return kernelUnlockPI(onHeap(addr), scope)
}

// WaitRequeuePI sleeps on addr while it is val, to be moved over to the lock pi by CmpRequeuePI: a condition's wait whose
// lock inherits priority. It returns nil when the calling kernel thread owns pi. ErrChanged says that *addr was not
// val, or that the wait ended early, for no reason; ErrTimeout, that the deadline came first. pi is not held after either.
func WaitRequeuePI(addr *uint32, val uint32, pi *uint32, deadline Deadline, scope Scope) error {
	if err := checkPair("wait-requeue-pi", addr, pi); err != nil {
		return err
	}
	return kernelWaitRequeuePI(onHeap(addr), val, onHeap(pi), deadline, scope)
}

// CmpRequeuePI gives pi to the first of those who sleep on addr in WaitRequeuePI if it is free, and moves up to move others,
// and the first if pi is not free, over to pi, where they wait for it. All this provided *addr is val; else it returns
// ErrChanged. The result is how many that were.
func CmpRequeuePI(addr, pi *uint32, val uint32, move int, scope Scope) (affected int, err error) {
	if err := checkPair("requeue-pi", addr, pi); err != nil {
		return 0, err
	}
	return kernelCmpRequeuePI(onHeap(addr), onHeap(pi), val, max(0, min(move, WakeAll)), scope)
}
