package futex

import "sync/atomic"

// What is known about FUTEX_PRIVATE_FLAG. Every futex call starts with this question, so the answer is one atomic load.
const (
	notProbed = iota
	privateWorks
	privateRefused
)

var private atomic.Uint32

// flag returns what has to be added to an operation for this scope. Two threads that ask first at the same time both
// probe, and get the same answer.
func (s Scope) flag() uint32 {
	if s == Shared {
		return 0
	}
	switch private.Load() {
	case notProbed:
		private.Store(probePrivate())
		return s.flag()
	case privateWorks:
		return flagPrivate
	default:
		return 0
	}
}

// probePrivate wakes nobody on a word of its own. On such a word nothing can be wrong but the operation itself, so any
// error (ENOSYS from kernels before 2.6.22, EPERM or anything else from a filter) means that it is not to be had. Shared
// scope then serves: it finds the same waiters, by a longer way.
func probePrivate() uint32 {
	if _, errno := wake(onHeap(new(uint32)), opWake|flagPrivate, 1); errno != 0 {
		return privateRefused
	}
	return privateWorks
}
