//go:build linux && (amd64 || arm64)

package asm

import "unsafe"

// While the execution tracer runs it must see every switch, and it sees only
// the scheduler's. So these switches are made of gopark and goready: the
// callback given to gopark, which runs once the caller is parked, readies the
// other side. Both kinds of switch understand what the other has saved.

// The race detector must not see what these do: they run between the release of
// one side and the acquire of the other.

//go:norace
func (c *Context) enterTraced() {
	g := selfFn()
	m := *at[uintptr](g + gM)
	switch {
	case *at[uintptr](g + gBubble) != 0:
		c.event = EventBubble
		return
	case c.boundM != 0 && c.boundM != m:
		c.event = EventThread
		return
	}
	if locks := at[uint32](m + mLockedExt); *locks < c.held { // see switchin
		*locks = c.held
		*at[uintptr](g + gLockedm) = m
		*at[uintptr](m + mLockedg) = g
	}
	c.back, c.backShort, c.rest = g, 0, *c.claim
	c.locks = *at[uint64](m + mLockedExt)
	gopark(enterCallback, unsafe.Pointer(c), waitReasonCoroutine, 0, 0)
}

//go:norace
func (c *Context) leaveTraced() {
	g := selfFn()
	m := *at[uintptr](g + gM)
	if c.dirty != 0 {
		c.leaveDirty()
		return
	}
	if locks := *at[uint64](m + mLockedExt); locks != c.locks || c.boundM != 0 {
		if e := c.relock(g, m, locks); e != EventNone {
			refused(e)
		}
	}
	if c.final != finalEvent {
		c.event = EventYield
	}
	c.selfShort = 0
	gopark(leaveCallback, unsafe.Pointer(c), waitReasonCoroutine, 0, 0)
}

//go:norace
func hopTraced(to uintptr) {
	if w := *at[uintptr](to + gStackguard1); w != ^uintptr(0) {
		at[Context](w).locks = *at[uint64](*at[uintptr](selfFn() + gM) + mLockedExt)
	}
	gopark(hopCallback, *(*unsafe.Pointer)(unsafe.Pointer(&to)), waitReasonCoroutine, 0, 0)
}

//go:norace
func hopCallback(from, to unsafe.Pointer) bool {
	var c *Context
	if w := *at[uintptr](uintptr(to) + gStackguard1); w != ^uintptr(0) {
		c = at[Context](w)
	}
	return handOver(uintptr(from), uintptr(to), c)
}

// relock is what relocked<> is in assembly.
//
//go:norace
func (c *Context) relock(g, m uintptr, locks uint64) Event {
	switch {
	case (locks^c.locks)>>32 != 0:
		return EventCallback
	case c.final != 0:
		n := at[uint32](m + mLockedExt)
		*n = max(uint32(c.locks), c.held) - c.held
		c.held, c.boundM = 0, 0
		if *at[uint64](m + mLockedExt) == 0 {
			*at[uintptr](g + gLockedm) = 0
			*at[uintptr](m + mLockedg) = 0
		} else {
			*at[uintptr](g + gLockedm) = m
			*at[uintptr](m + mLockedg) = g
		}
	default:
		held := int32(locks) - int32(c.locks) + int32(c.held)
		c.held, c.boundM = 0, 0
		if held > 0 {
			c.held, c.boundM = uint32(held), m
		}
	}
	return EventNone
}

//go:norace
func enterCallback(from, context unsafe.Pointer) bool {
	c := (*Context)(context)
	return handOver(uintptr(from), c.g, c)
}

//go:norace
func leaveCallback(from, context unsafe.Pointer) bool {
	c := (*Context)(context)
	if c.backShort != 0 {
		c.backShort = 0
		divertFn(c)
	}
	var other *Context
	if w := *at[uintptr](c.back + gStackguard1); w != ^uintptr(0) {
		other = at[Context](w)
	}
	return handOver(uintptr(from), c.back, other)
}

// handOver readies the goroutine to, whose context is c if it has one, and
// gives it the kernel-thread lock of from, if there is one.
//
//go:norace
func handOver(from, to uintptr, c *Context) bool {
	if m := *at[uintptr](from + gLockedm); m != 0 {
		*at[uintptr](from + gLockedm) = 0
		*at[uintptr](to + gLockedm) = m
		*at[uintptr](m + mLockedg) = to
	}
	if c != nil {
		widenFn(c)
	}
	goready(to, 0)
	return true
}
