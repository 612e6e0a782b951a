//go:build linux && amd64

package asm

// Enter suspends the caller and resumes c. It returns when c leaves, with the
// event that c gave, or at once, with one of the refusals, in which case c has
// not run. The caller must have exclusive use of c, which must be suspended.
// Cost: no allocation, no system call, and, while the collector does not mark,
// no locked instruction.
func (c *Context) Enter() Event {
	c.releaseRace()
	enterFn(c)
	c.acquireRace()
	return c.event
}

// Leave suspends the caller, which must be c's goroutine, and resumes the one
// that entered it, whose Enter returns e. It returns e when c is entered again,
// or a refusal at once.
func (c *Context) Leave(e Event) Event {
	c.event = e
	c.releaseRace()
	leaveFn(c)
	c.acquireRace()
	return c.event
}

// Finish is Leave at the end of the body: kernel-thread locks that the body has
// taken and not given back are undone, as at the end of a goroutine.
func (c *Context) Finish(e Event) Event {
	c.final = 1
	e = c.Leave(e)
	c.final = 0
	return e
}
