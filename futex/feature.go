package futex

// Feature names a part of the kernel's interface that may be missing: the kernel is older than it, was built without it,
// or a seccomp filter refuses it. Each is tried once, harmlessly, when it is first needed, and what stands in for
// it needs no help from the caller, save where none exists.
type Feature uint8

const (
	// FeaturePrivate is FUTEX_PRIVATE_FLAG (Linux 2.6.22). Shared scope stands in: it finds the same waiters, by a longer way.
	FeaturePrivate Feature = iota

	// FeatureBitset is FUTEX_WAIT_BITSET and FUTEX_WAKE_BITSET (2.6.25), absolute deadlines included. Relative timeouts,
	// computed anew after each signal, stand in, and WakeBitset wakes all.
	FeatureBitset

	// FeatureRequeue is FUTEX_REQUEUE and FUTEX_CMP_REQUEUE (2.6.7). All are woken instead of moved.
	FeatureRequeue

	// FeatureWakeOp is FUTEX_WAKE_OP (2.6.14). The operation is made by the caller's CPU, then those are woken who should.
	FeatureWakeOp

	// FeaturePI is FUTEX_LOCK_PI and what belongs to it (2.6.18). Nothing stands in for it: a lock that does not inherit
	// priority is another lock, and a process that uses it would not get on with one that has the real thing.
	FeaturePI

	// FeatureMonotonicPI is FUTEX_LOCK_PI2 (5.14). FUTEX_LOCK_PI stands in, with the deadline moved to the wall clock.
	FeatureMonotonicPI

	// FeatureRequeuePI is FUTEX_WAIT_REQUEUE_PI and FUTEX_CMP_REQUEUE_PI (2.6.31). Nothing stands in.
	FeatureRequeuePI

	// FeatureWaitV is futex_waitv(2) (5.16). WaitAny sleeps on one word, and looks at the others every now and then.
	FeatureWaitV

	// FeatureRobust is set_robust_list(2) (2.6.17), by which a SharedMutex learns at once that its owner died. Waiters look
	// for the owner's process every now and then instead.
	FeatureRobust

	features // how many there are
)

var featureNames = [features]string{
	"private", "bitset", "requeue", "wake-op", "pi", "monotonic-pi", "requeue-pi", "waitv", "robust",
}

// String returns a short name, such as "waitv".
func (f Feature) String() string {
	if f >= features {
		return "unknown"
	}
	return featureNames[f]
}
