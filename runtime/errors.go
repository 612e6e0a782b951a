package runtime

import (
	"errors"
	"fmt"

	"greenthread/asm"
	"greenthread/stackpool"
)

// What a call on a coroutine is refused with; errors.Is finds them.
var (
	// ErrFinished: the body has returned, panicked or called runtime.Goexit.
	ErrFinished = errors.New("greenthread: the coroutine has finished")
	// ErrRunning: the coroutine is running, or has resumed the caller.
	ErrRunning = errors.New("greenthread: the coroutine is running")
	// ErrClosed: the coroutine was closed. A closed pool is stackpool.ErrClosed, another
	// error.
	ErrClosed = errors.New("greenthread: the coroutine is closed")
	// ErrBubble: the caller runs in a testing/synctest bubble, and the coroutine
	// was started outside of it, which only the native backend refuses; or it was started in a
	// bubble, and the caller is elsewhere.
	ErrBubble = errors.New("greenthread: what was started outside of a synctest bubble cannot run in it, nor the other way round")
	// ErrThread: the body has called runtime.LockOSThread, and the caller runs on
	// another kernel thread. Only the native backend refuses that.
	ErrThread = errors.New("greenthread: the coroutine is locked to another kernel thread")
	// ErrCallback: Yield was called in a callback from C that the body has
	// called; the C function's frames cannot be left behind. Only the native backend
	// refuses that.
	ErrCallback = asm.ErrCallback
	// ErrStranger: Yield was called outside of the body it belongs to.
	ErrStranger = asm.ErrStranger
	// ErrStackLimit: no stack could be had; a *stackpool.LimitError says which
	// limit was hit.
	ErrStackLimit = stackpool.ErrStackLimit
	// ErrBadOption: an option's value, or a body, cannot be used.
	ErrBadOption = errors.New("greenthread: bad option")
)

// A PanicError is what Resume panics with when the body panics: the original
// value, and the stack on which the panic began. The stack on which it goes on
// is the resumer's.
type PanicError struct {
	Value any    // what the body panicked with
	Stack []byte // its stack trace, as debug.Stack formats it
	Name  string // the coroutine's or thread's name, if it has one
}

// Error gives the value and the body's stack trace.
func (e *PanicError) Error() string {
	where := ""
	if e.Name != "" {
		where = " in " + e.Name
	}
	return fmt.Sprintf("panic%s: %v\n\n%s", where, e.Value, e.Stack)
}

// Unwrap returns the value if it is an error, so that errors.Is and errors.As
// look into it.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// A StackOverflowError is what a body panics with when it needs more stack than
// it has. Code that recovers in the body itself sees an error with the text "runtime
// error: stack overflow into the guard below" and a method Addr, of which
// [AsStackOverflow] makes this one. On the portable backend there is none: an overflow
// ends the program.
type StackOverflowError struct {
	Thread  string  // name of the coroutine, or its number
	Size    int     // usable size of its stack, in bytes
	Address uintptr // where the access hit the guard
}

// Error names the thread, the size and the address.
func (e *StackOverflowError) Error() string {
	return fmt.Sprintf("greenthread: stack overflow in thread %s: stack size %d bytes, address %#x", e.Thread, e.Size, e.Address)
}
