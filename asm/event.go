package asm

// Event says why control came back from [Enter], or why [Leave] did not go.
type Event uint32

// The events that the assembly itself produces. Callers use values from
// EventUser upwards for their own.
const (
	EventNone     Event = iota
	EventBubble         // refused: the caller runs in a testing/synctest bubble
	EventThread         // refused: the context holds another kernel thread by LockOSThread
	EventCallback       // refused: the context has a C function's callback open
	EventStranger       // refused: Leave was called on another goroutine than the context's
	EventStatus         // refused: the goroutine is not suspended (a broken invariant)
	EventUser
)
