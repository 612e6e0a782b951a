package runtime

import (
	"errors"
	"runtime/debug"
)

// ErrGoexit: a function that others wait for has called runtime.Goexit instead of
// returning.
var ErrGoexit = errors.New("greenthread: the function has called runtime.Goexit")

// guarded runs fn, and then, however fn has ended, done: with what fn has returned, with
// what it has panicked with, which ends there, or with ErrGoexit.
func guarded(fn func() error, done func(err error, p *PanicError)) {
	returned := false
	err := ErrGoexit
	var p *PanicError
	defer func() {
		if !returned {
			if v := recover(); v != nil {
				p = panicOf(v)
			}
		}
		done(err, p)
	}()
	err = fn()
	returned = true
}

// panicOf returns what stands for a panic with v, which the caller, a deferred function,
// has recovered from.
func panicOf(v any) *PanicError {
	p := &PanicError{Value: v, Stack: debug.Stack()}
	if overflow, ok := AsStackOverflow(v); ok {
		p.Value = overflow
	}
	if t := caller(); t != nil {
		p.Name = t.name()
	}
	return p
}
