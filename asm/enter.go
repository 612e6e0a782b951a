//go:build linux && (amd64 || arm64)

package asm

// Enter suspends the caller and resumes c. It returns when c leaves, with the
// event that tells why, or at once, with one of the refusals, in which case c
// has not run. The caller must have exclusive use of c, which must be suspended.
// Cost: no allocation, no system call, and, while the collector does not mark,
// no locked instruction.
func (c *Context) Enter() Event {
	c.releaseRace()
	enterFn(c)
	c.acquireRace()
	return c.event
}

// Leave suspends the caller, which must be c's goroutine, and resumes the one
// that entered it, whose Enter returns EventYield. It returns when c is entered
// again. It panics with ErrStranger or ErrCallback where it is refused.
func (c *Context) Leave() {
	c.releaseRace()
	leaveFn(c)
	c.acquireRace()
}

// Finish is Leave at the end of the body, with an event of its own. Locks of the
// kernel thread that the body has taken and not given back are undone, as at
// the end of a goroutine. It returns when c is entered to run another body.
func (c *Context) Finish(e Event) {
	c.event, c.final = e, finalEvent
	c.Leave()
	c.final = 0
}

// FinishIdle is Finish for a body that has simply returned, in a context that is
// not linked: whoever entered it the short way returns with zeros, and the claim
// word says that the context may be entered for another body.
func (c *Context) FinishIdle() {
	c.final = finalIdle
	c.Leave()
	c.final = 0
}

// ShortWay is false where EnterShort and LeaveShort must not be used.
const ShortWay = !raceEnabled

// EnterShort is Enter for a function that must be neither inlined nor deferred
// in, and gives back the results that were linked: when the context leaves, it is
// that function that returns. Where EnterShort itself returns, Event tells why.
//
// LeaveShort is Leave for such a function on the other side. Where it returns,
// the function must look for its results itself.
//
// Both, and CallerPC, are func variables, not functions: they find the frame that
// they give up, or look at, by the frame pointer, and a function that is not
// inlined everywhere would come between.
var (
	EnterShort = funcAt[func(*Context)](enterShortAddress())
	LeaveShort = funcAt[func(*Context)](leaveShortAddress())
)

// CallerPC returns the return address of the function that calls it, which must
// not be inlined.
var CallerPC = funcAt[func() uintptr](callerPCAddress())

// Event returns why the last Enter came back.
func (c *Context) Event() Event { return c.event }

// leaveDirty is called in the place of a leave after an overflow that the body
// has recovered from.
func (c *Context) leaveDirty() {
	c.mend()
	c.Leave()
}

// mend closes the guard again, unless the caller uses the part that is open.
func (c *Context) mend() {
	c.dirty = 0
	if c.Remaining() > 0 && c.bodies.Rearm != nil {
		c.bodies.Rearm(c)
	}
}

func refused(e Event) {
	if e == EventCallback {
		panic(ErrCallback)
	}
	panic(ErrStranger)
}

// The calls below are for schedulers, which switch from any goroutine that they
// know to any other: contexts, what runs in coroutines that contexts have entered,
// and ordinary goroutines.

// Hop suspends the caller and resumes g, which must wait in Hop itself, or be a
// context that waits for its first Enter or in Finish. It returns when somebody
// hops back. Who has entered whom stays as it is. The caller must not be locked to
// its kernel thread (see Locked) otherwise than g may be, too, and tells the
// race detector.
//
// Nothing may hop to the caller before it is suspended: what is resumed must be
// the one to tell others that they may.
func (g Goroutine) Hop() { hopFn(uintptr(g)) }

// Mend closes the guard of c, which is the caller's, if an overflow has opened it and
// the caller does not use the part that is open. It is for who hops.
func (c *Context) Mend() {
	if c.dirty != 0 {
		c.mend()
	}
}

// Prefetch has the processor fetch what a Hop to g, which is suspended, will need: of its
// descriptor, of its context and of its stack. It does not wait for that.
func (g Goroutine) Prefetch() { prefetchFn(uintptr(g)) }

// Goroutine returns the goroutine that c is.
func (c *Context) Goroutine() Goroutine { return Goroutine(c.g) }

// Resumer returns the context of the goroutine that has entered c, nil if that is
// an ordinary one.
func (c *Context) Resumer() *Context {
	if c.back == 0 {
		return nil
	}
	if r := *at[uintptr](c.back + gStackguard1); r != ^uintptr(0) {
		return at[Context](r)
	}
	return nil
}

// SetBack makes the next Leave or Finish of c resume goroutine g.
func (c *Context) SetBack(g Goroutine) { c.back, c.backShort = uintptr(g), 0 }

// Tell tells the race detector that what the caller has done is seen by c, to which
// somebody hops next, once it calls Learn or has begun.
func (c *Context) Tell() { c.releaseRace() }

// Learn tells the race detector that the caller has seen c switched out, or c what
// Tell has told it.
func (c *Context) Learn() { c.acquireRace() }

// Locked reports whether c's body has locked itself to its kernel thread, or runs
// in a callback from C: then it must not be suspended in favour of another.
func (c *Context) Locked() bool { return c.lockedOn(c.g) }

// LockedUnder is Locked for a context that has entered the caller's, directly or
// through others, and so runs on no kernel thread itself.
func (c *Context) LockedUnder() bool { return c.lockedOn(selfFn()) }

func (c *Context) lockedOn(g uintptr) bool {
	return *at[uint64](*at[uintptr](g + gM) + mLockedExt) != c.locks
}

// Bound reports whether c's body had locked itself to a kernel thread when it was
// suspended last.
func (c *Context) Bound() bool { return c.boundM != 0 }

// Blocked reports whether c's goroutine, which runs as far as its scheduler
// knows, does not: it waits in Go, or for a context that it has entered and that
// may, or is in a system call.
func (c *Context) Blocked() bool {
	g := c.g
	if g == 0 {
		return false // it has ended meanwhile
	}
	status := *at[uint32](g + gAtomicstatus) &^ statusScan
	return status == statusWaiting || status == statusSyscall
}

// A Goroutine names an ordinary goroutine for SetBack.
type Goroutine uintptr

// Self returns the calling goroutine.
func Self() Goroutine { return Goroutine(selfFn()) }

// ID returns the number of the goroutine, as stack traces print it; 0 for the zero
// Goroutine. One that has ended has that of who has taken its place, or its own.
func (g Goroutine) ID() uint64 {
	if g == 0 {
		return 0
	}
	return *at[uint64](uintptr(g) + gGoid)
}
