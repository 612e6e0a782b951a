//go:build !linux || !(amd64 || arm64)

package asm

import (
	"runtime"
	"sync/atomic"
	"unsafe"
)

// Check reports that goroutines cannot be adopted here.
func Check() error {
	return &UnavailableError{"not on " + runtime.GOOS + "/" + runtime.GOARCH}
}

// A Context has only a name and a number on this system; most of its methods panic.
type Context struct {
	name string
	id   uint64
}

// Bodies are of no use here.
type Bodies struct{ Entry, Landing, Rearm func(*Context) }

// Bounds are the addresses of a guarded stack.
type Bounds struct {
	GuardBottom, Bottom, Top uintptr
	Advice                   bool
}

// Parent identifies who created a goroutine.
type Parent struct {
	Goid uint64
	PC   uintptr
}

func absent() string { return Check().Error() }

// Init panics: see Check.
func (c *Context) Init(b Bounds, id uint64, bodies *Bodies) { panic(absent()) }

// SetName gives the context a name.
func (c *Context) SetName(name string) { c.name = name }

// Name returns it.
func (c *Context) Name() string { return c.name }

// Adopt panics: see Check.
func (c *Context) Adopt() { panic(absent()) }

// Release panics: see Check.
func (c *Context) Release() { panic(absent()) }

// Begin panics: see Check.
func (c *Context) Begin(parked *atomic.Uint32) { panic(absent()) }

// Rewind panics: see Check.
func (c *Context) Rewind() { panic(absent()) }

// Ready panics: see Check.
func (c *Context) Ready() { panic(absent()) }

// Enter panics: see Check.
func (c *Context) Enter() Event { panic(absent()) }

// Leave panics: see Check.
func (c *Context) Leave() { panic(absent()) }

// Finish panics: see Check.
func (c *Context) Finish(e Event) { panic(absent()) }

// ShortWay is false where EnterShort and LeaveShort must not be used.
const ShortWay = false

// EnterShort and LeaveShort are for where goroutines can be adopted.
var (
	EnterShort = func(*Context) { panic(absent()) }
	LeaveShort = func(*Context) { panic(absent()) }
)

// CallerPC returns the return address of the function that calls it, found by unwinding,
// which takes longer than to look at the frame.
func CallerPC() uintptr {
	var pc [1]uintptr
	runtime.Callers(3, pc[:]) // not Callers, CallerPC, and who asks
	return pc[0]
}

// Event returns EventNone.
func (c *Context) Event() Event { return EventNone }

// Link panics: see Check.
func (c *Context) Link(in, out unsafe.Pointer, claim *uint32, landing func()) { panic(absent()) }

// Unlink panics: see Check.
func (c *Context) Unlink() { panic(absent()) }

// SetCloser panics: see Check.
func (c *Context) SetCloser(closer func()) { panic(absent()) }

// Opened reports false: there are no guards.
func (c *Context) Opened() bool { return false }

// Closed does nothing: there are no guards.
func (c *Context) Closed() {}

// FaultsPanic reports false.
func (c *Context) FaultsPanic() bool { return false }

// Labelled reports false.
func (c *Context) Labelled() bool { return false }

// Overflow reports none.
func (c *Context) Overflow() (addr uintptr, count int) { return 0, 0 }

// Remaining returns 0.
func (c *Context) Remaining() int { return 0 }

// Current returns nil: every goroutine is an ordinary one.
func Current() *Context { return nil }

// Here returns the zero Parent.
func Here(pc uintptr) Parent { return Parent{} }

// SetParent does nothing.
func (c *Context) SetParent(p Parent) {}

// ThreadHash returns 0.
func ThreadHash() uintptr { return 0 }

// Claim reports false.
func (c *Context) Claim() bool { return false }

// Disclaim does nothing.
func (c *Context) Disclaim() {}

// FinishIdle panics: see Check.
func (c *Context) FinishIdle() { panic(absent()) }

// InBubble reports false: nothing here is refused in a bubble.
func InBubble() bool { return false }

// Bubble returns 0: nobody can tell.
func Bubble() uintptr { return 0 }

// ThreadLocked reports false: nobody can tell.
func ThreadLocked() bool { return false }

// A Goroutine names an ordinary goroutine.
type Goroutine uintptr

// Self returns 0.
func Self() Goroutine { return 0 }

// GoTimers knows nothing here.
func GoTimers() (pending, known bool) { return false, false }

// KnowsGoTimers reports false.
func KnowsGoTimers() bool { return false }

// ID returns 0.
func (g Goroutine) ID() uint64 { return 0 }

// Hop panics: see Check.
func (g Goroutine) Hop() { panic(absent()) }

// Prefetch panics: see Check.
func (g Goroutine) Prefetch() { panic(absent()) }

// Mend does nothing: there are no guards.
func (c *Context) Mend() {}

// Goroutine returns 0.
func (c *Context) Goroutine() Goroutine { return 0 }

// Resumer returns nil.
func (c *Context) Resumer() *Context { return nil }

// SetID gives the context a number.
func (c *Context) SetID(id uint64) { c.id = id }

// ID returns it.
func (c *Context) ID() uint64 { return c.id }

// SetBack panics: see Check.
func (c *Context) SetBack(g Goroutine) { panic(absent()) }

// Tell does nothing.
func (c *Context) Tell() {}

// Learn does nothing.
func (c *Context) Learn() {}

// Locked reports false.
func (c *Context) Locked() bool { return false }

// LockedUnder reports false.
func (c *Context) LockedUnder() bool { return false }

// Bound reports false.
func (c *Context) Bound() bool { return false }

// Blocked reports false.
func (c *Context) Blocked() bool { return false }

// KeepHandlers does nothing.
func KeepHandlers() {}
