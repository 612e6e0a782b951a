package runtime

import (
	"sync/atomic"
	"unsafe"
)

// A slot is the place of one who waits at a Chan: an entry with the value that is
// handed over. It is in the heap, since nobody may write into the stack of another.
//
//	        take                push               pop                    leave
//	(kept) ─────► the waiter's ─────► in a queue ─────► kept, not left ─────────► (kept)
//	                                      └── removed by the waiter, who gives up ──►┘
//
// The one who pops a slot writes or reads the value, and keeps it; the waiter then
// reads how it went, and leaves. That needs no lock, so a wait costs the channel's
// lock once.
type slot[T any] struct {
	entry entry // first, see slotOf
	value T
	ok    bool   // false: the channel was closed
	left  uint32 // 1: the waiter has left, and the slot may be taken
	next  *slot[T]
}

// slotOf returns the slot whose entry e is.
func slotOf[T any](e *entry) *slot[T] { return (*slot[T])(unsafe.Pointer(e)) }

// result is what the waiter was given. It leaves n, which is not its own any more.
func (n *slot[T]) result() (T, bool) {
	var zero T
	v, ok := n.value, n.ok
	n.value, n.entry.waiter = zero, nil
	publish(&n.left, 1)
	return v, ok
}

// slots keeps the slots of a Chan, guarded by its lock, first in, first out: the
// waiter of the first one has had most time to leave. There are never many more than
// have ever waited at the same time.
type slots[T any] struct{ first, last *slot[T] }

// take returns a slot for w.
func (s *slots[T]) take(w *waiter, code uint32) *slot[T] {
	n := s.first
	if n != nil && n.next == nil && atomic.LoadUint32(&n.left) != 0 {
		s.first, s.last = nil, nil
	} else if n = s.kept(); n == nil {
		n = new(slot[T])
	}
	n.left, n.ok = 0, false
	n.entry.waiter, n.entry.code = w, code
	return n
}

// kept returns a slot that was left by its waiter, nil if it finds none at a glance.
func (s *slots[T]) kept() *slot[T] {
	for range 3 {
		n := s.first
		if n == nil {
			return nil
		}
		s.first = n.next
		if n.next == nil {
			s.last = nil
		}
		n.next = nil
		if atomic.LoadUint32(&n.left) != 0 {
			return n
		}
		s.keep(n) // a waiter that is slow shall not be in the way of others
	}
	return nil
}

// keep puts n, which is in no queue, at the end.
func (s *slots[T]) keep(n *slot[T]) {
	if s.last == nil {
		s.first = n
	} else {
		s.last.next = n
	}
	s.last = n
}
