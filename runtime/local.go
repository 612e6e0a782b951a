package runtime

import "unsafe"

// A Local is a variable of which each thread has its own. It is made once, for the whole
// program as a rule; the zero value begins in each thread with the zero value of T.
//
// On an ordinary goroutine, where [Current] is nil, there is no such variable: Get returns what a thread would begin with, and Set
// panics. Pass what such code needs by its parameters.
//
// A thread's values live as long as it. Get and Set look through the Locals that the
// thread has set so far, one after the other.
type Local[T any] struct {
	_     noCopy
	begin func() T
}

// NewLocal returns a Local that begins in each thread with what begin returns, called at
// the first Get there.
func NewLocal[T any](begin func() T) *Local[T] { return &Local[T]{begin: begin} }

// Get returns the calling thread's value.
func (l *Local[T]) Get() T {
	t := caller()
	if t != nil {
		if p := t.local(unsafe.Pointer(l)); p != nil {
			return *(*T)(p)
		}
	}
	var v T
	if l.begin == nil {
		return v
	}
	v = l.begin()
	if t != nil {
		l.Set(v)
	}
	return v
}

// Set sets the calling thread's value. It panics where Current is nil.
func (l *Local[T]) Set(v T) {
	t := mustCurrent("Local.Set")
	if p := t.local(unsafe.Pointer(l)); p != nil {
		*(*T)(p) = v
		return
	}
	if t.th.locals == nil {
		t.th.locals = new([]local)
	}
	*t.th.locals = append(*t.th.locals, local{key: unsafe.Pointer(l), value: unsafe.Pointer(&v)})
}

// A local is the value that a thread has for a Local.
type local struct{ key, value unsafe.Pointer }

// local returns where the value for key is, nil if it was not set.
func (t *task) local(key unsafe.Pointer) unsafe.Pointer {
	if t.th.locals == nil {
		return nil
	}
	for _, l := range *t.th.locals {
		if l.key == key {
			return l.value
		}
	}
	return nil
}
