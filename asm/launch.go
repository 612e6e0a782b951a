//go:build linux && (amd64 || arm64)

package asm

import (
	"sync/atomic"
	"unsafe"
)

// Bounds are the addresses of a guarded stack.
type Bounds struct {
	GuardBottom uintptr // lowest address of the guard
	Bottom      uintptr // lowest usable address, the end of the guard
	Top         uintptr // one past the highest usable address
	Advice      bool    // the guard is a MADV_GUARD_INSTALL one, not PROT_NONE
}

// entrySlack is what lies between the top of a stack and its entry frame.
const entrySlack = 64

// Init prepares a context for a stack. Just above the stack there must be guard memory, too.
//
// While the context runs, Go is told that its stack reaches from the bottom of
// the guard (so that the guard, not Go's own check, meets an overflow) to
// somewhere above its top, so far that Go sees a quarter of it in use and never
// shrinks it. The size is a power of two: when Go wants to grow the stack, for
// a frame that does not fit even into the guard, it copies it first, and that
// copy runs into the guard above, where the fault handler is waiting.
func (c *Context) Init(b Bounds, id uint64, bodies *Bodies) {
	size := uintptr(1)
	for size < (b.Top-b.GuardBottom)/3*4 {
		size *= 2
	}
	*c = Context{
		runLo:    b.GuardBottom,
		runHi:    b.GuardBottom + size,
		top:      b.Top,
		bodies:   bodies,
		idle:     claimBusy,
		usableLo: b.Bottom,
		openLo:   b.Bottom,
		id:       id,
	}
	if b.Advice {
		c.guardAdvice = 1
	}
	c.Unlink()
}

// Link connects c with what its user returns from EnterShort and LeaveShort: in
// and out are five readable words each, the first of which are their results,
// word by word as Go's register ABI wants them. claim is the word that says who
// may enter. landing has the signature of EnterShort's caller but for the
// arguments, and is called in its place when the context finishes; so is
// Bodies.Landing, with the context as its argument.
func (c *Context) Link(in, out unsafe.Pointer, claim *uint32, landing func()) {
	c.inWords, c.outWords, c.claim, c.landing = in, out, claim, landing
}

// Unlink undoes Link and SetCloser: the results of both sides are zeros, the
// claim word is c's own, see Claim, and the landing that of its Bodies.
func (c *Context) Unlink() {
	c.inWords, c.outWords = unsafe.Pointer(&noWords), unsafe.Pointer(&noWords)
	c.claim, c.landing, c.closer = &c.idle, *(*func())(unsafe.Pointer(&c.bodies.Landing)), nil
}

// noWords are the results where nobody has linked any. (In a context itself they would be
// a pointer more for the garbage collector to follow.)
var noWords [5]uintptr

// Claim moves the claim word of a context that is not linked from suspended to
// busy; it reports false if it was busy. Disclaim moves it back.
func (c *Context) Claim() bool {
	return atomic.CompareAndSwapUint32(&c.idle, ClaimSuspended, claimBusy)
}

// Disclaim undoes Claim.
func (c *Context) Disclaim() { atomic.StoreUint32(&c.idle, ClaimSuspended) }

const claimBusy = 2

// SetCloser makes every further Enter call closer in the context, in the place
// of the caller of LeaveShort in which it waits, and with its results.
func (c *Context) SetCloser(closer func()) { c.closer = closer }

// SetName gives the context the name that a fatal overflow prints.
func (c *Context) SetName(name string) { c.name = name }

// Name returns what SetName was given.
func (c *Context) Name() string { return c.name }

// SetID changes the number that a fatal overflow prints.
func (c *Context) SetID(id uint64) { c.id = id }

// ID returns that number.
func (c *Context) ID() uint64 { return c.id }

// Adopt moves the calling goroutine to the context's stack and runs entry
// there. It returns, on the goroutine's own stack, when entry calls Release.
// The caller must hold no pointers across the call: its frames are not scanned.
func (c *Context) Adopt() { adoptFn(c) }

// Release moves the calling goroutine, which is c's, back to its own stack:
// Adopt returns. The context's stack is no longer used from then on.
func (c *Context) Release() { releaseFn(c) }

// Begin is the first thing that entry calls. The first time it suspends the
// goroutine until the first Enter; parked becomes 1 when Enter may be called.
// When entry starts again after Rewind, it only returns.
func (c *Context) Begin(parked *atomic.Uint32) {
	if parked.Load() == 0 {
		gopark(parkCallback, unsafe.Pointer(parked), waitReasonCoroutine, 0, 0)
	}
	c.acquireRace()
}

// parkCallback runs on the scheduler's stack once the goroutine is parked. It
// uses no sync/atomic: the race detector's version needs a goroutine.
//
//go:norace
func parkCallback(_, parked unsafe.Pointer) bool {
	publish(uintptr(parked), 1)
	return true
}

// Rewind makes c, which has left for good from inside runtime.Goexit, start
// entry from the beginning at the next Enter. Frames, deferred calls and panics
// that are on its stack are dropped without being run.
func (c *Context) Rewind() {
	c.final = 0 // Finish has not come back
	rewindFn(c)
}

// Ready lets the Go scheduler resume c, which is suspended, as a goroutine of
// its own: nobody is suspended in exchange.
func (c *Context) Ready() {
	c.releaseRace()
	widenFn(c)
	goready(c.g, 0)
}

// Current returns the context of the calling goroutine, nil if it is an
// ordinary one. It is a func variable for speed, see funcOf.
var Current = funcAt[func() *Context](currentAddress())

// Parent identifies who created a goroutine, as tracebacks print it.
type Parent struct {
	Goid uint64
	PC   uintptr
}

// Here returns the calling goroutine as a parent; pc is where it creates.
func Here(pc uintptr) Parent {
	return Parent{Goid: *at[uint64](selfFn() + gGoid), PC: pc}
}

// SetParent makes tracebacks of the context's goroutine say that p created it.
func (c *Context) SetParent(p Parent) {
	*at[uint64](c.g + gParentGoid) = p.Goid
	*at[uintptr](c.g + gGopc) = p.PC
}

// ThreadHash returns a number that is likely to differ between kernel threads
// that run Go code at the same time.
func ThreadHash() uintptr { return *at[uintptr](selfFn() + gM) >> 11 }

// InBubble reports whether the calling goroutine runs in a testing/synctest
// bubble, where switches are refused.
func InBubble() bool { return Bubble() != 0 }

// Bubble returns what tells the calling goroutine's bubble from others that there are now; 0
// outside of bubbles.
func Bubble() uintptr { return *at[uintptr](selfFn() + gBubble) }

// ThreadLocked reports whether the calling goroutine is locked to its kernel
// thread.
func ThreadLocked() bool { return *at[uintptr](selfFn() + gLockedm) != 0 }

// Remaining returns how many bytes of the current context's stack lie below
// the caller's frame, 0 on an ordinary goroutine.
func (c *Context) Remaining() int {
	var here byte
	return int(uintptr(unsafe.Pointer(&here)) - c.usableLo)
}

// gopark and goready are what Go's own blocking is made of. The runtime marks
// both for use by linkname.
//
//go:linkname gopark runtime.gopark
func gopark(unlock func(g, lock unsafe.Pointer) bool, lock unsafe.Pointer, reason, traceReason byte, skip int)

//go:linkname goready runtime.goready
func goready(g uintptr, skip int)
