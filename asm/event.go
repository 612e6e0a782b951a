package asm

import "errors"

// Event says why control came back from [Context.Enter].
type Event uint32

// The events that the assembly itself produces. Callers use values from
// EventUser upwards for their own.
const (
	EventNone     Event = iota
	EventYield          // the context has left by Leave or LeaveShort
	EventBubble         // refused: the caller runs in a testing/synctest bubble
	EventThread         // refused: the context holds another kernel thread by LockOSThread
	EventCallback       // leave is refused: a C function's callback is open
	EventStranger       // leave is refused: the caller is not the context's goroutine
	EventUser
)

// What leaving panics with where it is refused.
var (
	ErrStranger = errors.New("greenthread: yield outside of the body that it belongs to")
	ErrCallback = errors.New("greenthread: yield inside a callback from C")
)

// ClaimSuspended is what a context that was entered the short way stores in its
// claim word when it leaves.
const ClaimSuspended = 1
