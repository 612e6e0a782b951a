package futex

import (
	"runtime"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What is known about a feature. Most calls start with such a question, so the answer is one atomic load.
const (
	notProbed = iota
	works
	isRefused
)

var known [features]atomic.Uint32

// Available reports whether the kernel lets this process use f. Two threads that ask first at the same time both probe,
// and get the same answer.
func (f Feature) Available() bool {
	if f >= features {
		return false
	}
	switch known[f].Load() {
	case works:
		return true
	case isRefused:
		return false
	}
	answer := uint32(isRefused)
	if probes[f]() {
		answer = works
	}
	known[f].Store(answer)
	return answer == works
}

// flag returns what has to be added to an operation for this scope.
func (s Scope) flag() uint32 {
	if s == Private && FeaturePrivate.Available() {
		return flagPrivate
	}
	return 0
}

// probes really make the calls, on words of their own on which nothing can be wrong but the operation itself: so any answer
// but the right one (ENOSYS from older kernels, EPERM or anything else from a filter) means that it is not to be had.
// A wait is tried on a word that has another value, so that it ends at once, by EAGAIN.
var probes [features]func() bool

func init() { // not in the declaration: the probes use Available themselves
	probes = [features]func() bool{
		FeaturePrivate: func() bool {
			_, errno := rawCall(word(0), opWaitBitset|flagPrivate, operands{val: 1, val3: matchAny})
			return errno == unix.EAGAIN
		},
		FeatureBitset: func() bool {
			_, wait := rawCall(word(0), opWaitBitset|Private.flag(), operands{val: 1, val3: matchAny})
			_, wake := rawCall(word(0), opWakeBitset|Private.flag(), operands{val: 1, val3: matchAny})
			return wait == unix.EAGAIN && wake == 0
		},
		FeatureRequeue: func() bool {
			_, always := rawCall(word(0), opRequeue|Private.flag(), operands{val2: 1, addr2: word(0)})
			_, compared := rawCall(word(0), opCmpRequeue|Private.flag(), operands{val2: 1, addr2: word(0), val3: 1})
			return always == 0 && compared == unix.EAGAIN
		},
		FeatureWakeOp: func() bool {
			_, errno := rawCall(word(0), opWakeOp|Private.flag(), operands{val: 1, val2: 1, addr2: word(0)})
			return errno == 0
		},
		FeaturePI: func() bool {
			return probeLock(func(lock *uint32) unix.Errno {
				_, errno := rawCall(lock, opTryLockPI|Private.flag(), operands{})
				return errno
			})
		},
		FeatureMonotonicPI: func() bool {
			return probeLock(func(lock *uint32) unix.Errno {
				_, errno := rawCall(lock, opLockPI2|Private.flag(), operands{}) // it is free: this does not sleep
				return errno
			})
		},
		FeatureRequeuePI: func() bool {
			_, wait := rawCall(word(0), opWaitRequeuePI|Private.flag(), operands{val: 1, addr2: word(0)})
			_, move := rawCall(word(0), opCmpRequeuePI|Private.flag(), operands{val: 1, addr2: word(0), val3: 1})
			return wait == unix.EAGAIN && move == unix.EAGAIN
		},
		FeatureWaitV: func() bool {
			vector := []kernelWord{makeKernelWord(Word{Addr: word(0), Val: 1, Scope: Private})}
			_, errno := waitVector(vector, instantPast.timespec64())
			return errno == unix.EAGAIN
		},
		FeatureRobust: func() bool {
			// A head of the wrong size is refused by EINVAL, so the thread keeps the list it has.
			// The links are those of a 64-bit machine.
			return unsafe.Sizeof(uintptr(0)) == 8 && setRobustList(nil, 0) == unix.EINVAL
		},
	}
}

// instantPast is a timeout that is over.
var instantPast = Deadline(0).instant()

// word makes a word for a probe, on the heap.
func word(v uint32) *uint32 { return onHeap(&v) }

// probeLock takes a free lock and gives it back. Both have to be done by one thread.
func probeLock(take func(lock *uint32) unix.Errno) bool {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	lock := word(0)
	if take(lock) != 0 || atomic.LoadUint32(lock)&tidMask != uint32(unix.Gettid()) {
		return false
	}
	_, errno := rawCall(lock, opUnlockPI|Private.flag(), operands{})
	return errno == 0
}
