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
	c.dirty = 0
	if c.Remaining() > 0 && c.rearm != nil {
		c.rearm()
	}
	c.Leave()
}

// SetRearm sets what closes the guard when the body goes on after an overflow.
func (c *Context) SetRearm(rearm func()) { c.rearm = rearm }

func refused(e Event) {
	if e == EventCallback {
		panic(ErrCallback)
	}
	panic(ErrStranger)
}

// The calls below are for schedulers, which switch from any context to any
// other, and to ordinary goroutines that wait in Switch.

// Switch suspends the caller and resumes c; from is the caller's own context, nil
// on an ordinary goroutine. Unlike after Enter, any context may come back to the
// caller, by Switch, or by Leave after SetBack.
func (c *Context) Switch(from *Context) {
	c.releaseRace()
	if from != nil {
		from.releaseRace()
	}
	enterFn(c)
	if from != nil {
		from.acquireRace()
	}
}

// SetBack makes the next Leave or Finish of c resume goroutine g.
func (c *Context) SetBack(g Goroutine) { c.back, c.backShort = uintptr(g), 0 }

// Learn tells the race detector that the caller has seen c switched out.
func (c *Context) Learn() { c.acquireRace() }

// Locked reports whether c's body has locked itself to its kernel thread, or runs
// in a callback from C: then it must not be suspended in favour of another.
func (c *Context) Locked() bool {
	return *at[uint64](*at[uintptr](c.g + gM) + mLockedExt) != c.locks
}

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
