//go:build linux && (amd64 || arm64)

package asm

import "golang.org/x/sys/unix"

// The fault handler stands in front of Go's for five signals. It runs on the
// signal stack, may interrupt anything, and so calls nothing of Go's runtime. The g
// in whose name it runs is handlerG, whose stack never ends: the goroutine that was
// interrupted has its bounds elsewhere. (Marked nosplit, all of it together would have
// to fit into 800 bytes, which code that is not optimized, or counts its own coverage,
// does not.) After it has looked, Go's handler follows, with one exception.
//
//   - SIGSEGV or SIGBUS in the guard of the running context: an overflow. The
//     upper part of the guard is opened (the yellow zone), and the program goes on
//     there, step by step, until a panic is safe: see step.go. That is the
//     exception.
//   - SIGSEGV above the stack while Go copies it: Go wants to grow it, for a
//     frame that reaches beyond the guard. There is no way back from there.
//   - Any of them with SP close to the guard: Go's handler is about to push a
//     call there, for a nil dereference, a division by zero or a preemption, and
//     a fault inside a handler kills without a word. The zone is opened first.
//   - Any other fault is Go's, and ends the steps.

// handlerG is what prologues take for the g of the handler: they read its stackguard0,
// which is 0, and nothing else of it.
var handlerG [gStackguard1]byte

const (
	panicRoom   = 16 << 10 // what a panic and its deferred calls need below SP
	stepRoom    = 4 << 10  // what the runtime needs to finish what it does
	preemptRoom = 2 << 10  // what a call injected by Go's handler needs at most

	guardInstall = 102 // MADV_GUARD_INSTALL
	guardRemove  = 103 // MADV_GUARD_REMOVE
)

// onFault decides about signal sig that interrupted goroutine g. It reports
// whether the program goes on without Go's handler.
//
//go:norace
//go:nocheckptr
func onFault(sig, info, frame, g uintptr) (handled bool) {
	m := *at[uintptr](g + gM)
	if m == 0 {
		return false
	}
	if sig != uintptr(unix.SIGTRAP) && sig != uintptr(unix.SIGURG) && *at[int32](info + siginfoCode) > 0 {
		leaveSlot(frame)
	}
	curg := *at[uintptr](m + mCurg)
	if curg == 0 {
		return sig == uintptr(unix.SIGTRAP) && strayStep(info, frame)
	}
	mark := *at[uintptr](curg + gStackguard1)
	if mark == 0 || mark == ^uintptr(0) {
		return sig == uintptr(unix.SIGTRAP) && strayStep(info, frame)
	}
	c := at[Context](mark)
	if c.g != curg {
		return false
	}
	sp := *at[uintptr](frame + ucontextSP)
	if sig == uintptr(unix.SIGTRAP) {
		if c.stepping == 0 {
			return strayStep(info, frame)
		}
		return c.onStep(info, frame, g, m)
	}
	if sig == uintptr(unix.SIGSEGV) || sig == uintptr(unix.SIGBUS) {
		if *at[int32](info + siginfoCode) <= 0 {
			return false // sent by a process, not by the CPU
		}
		addr := *at[uintptr](info + siginfoAddr)
		switch {
		case addr >= c.runLo && addr < c.usableLo:
			return c.onOverflow(addr, sp, frame, g, m)
		case addr >= c.top && addr < c.runHi && g == *at[uintptr](m + mG0) &&
			*at[uint32](curg + gAtomicstatus)&^statusScan == statusCopystack:
			c.report(" needs a frame that does not fit", addr, *at[uintptr](curg + gSchedSP))
			return false
		}
	}
	preemption := sig == uintptr(unix.SIGURG)
	if !preemption && c.stepping != 0 && c.stepM == m {
		// Go's handler makes a panic of the fault, unless the m is locked.
		c.stopStepping(frame, m)
	}
	if g != curg || sp <= c.runLo {
		return false
	}
	if preemption && c.openLo < c.usableLo && c.panicked == 0 && sp < c.usableLo+stepBand && *at[uintptr](curg + gPanic) == 0 {
		// The body runs in its yellow zone, or near it, and nobody steps through it
		// any more. No preemption: it must meet its panic first. If it has, or another is at
		// work, there is none to come: gopanic throws on an m that is locked.
		return c.startStepping(frame, m)
	}
	if sp-preemptRoom < c.openLo {
		room := uintptr(panicRoom)
		if preemption {
			room = stepRoom
		}
		if !c.open(sp, room) {
			c.report(" has no room left for a signal", sp, sp)
			*at[uint8](curg + gThrowsplit) = 1
		}
	}
	return false
}

// onOverflow decides about a fault at addr, in the guard of c. It reports true
// if the program goes on step by step.
//
//go:norace
//go:nocheckptr
func (c *Context) onOverflow(addr, sp, frame, g, m uintptr) bool {
	low := min(addr, sp)
	switch {
	case g != c.g:
		c.report(" overflowed below Go's runtime", addr, sp)
	case *at[int32](m + mThrowing) != 0 || *at[int32](m + mDying) != 0:
		c.report(" overflowed while Go was crashing", addr, sp)
		c.open(low, stepRoom)
	case sp < c.runLo || sp > c.top || low < c.runLo+panicRoom+stepRoom || !c.open(low, stepRoom):
		// What is left of the guard is too small for the panic that is to come.
		c.unfit(addr, sp)
	default:
		c.faultAddr = addr
		c.overflows++
		c.panicked = 0
		if c.startStepping(frame, m) {
			return true
		}
		c.unfit(addr, sp)
	}
	return false
}

// unfit reports an overflow that leaves no room for anything. Go's handler would
// push a call at SP, and fault; with throwsplit it crashes the program, with a
// traceback.
//
//go:norace
//go:nocheckptr
func (c *Context) unfit(addr, sp uintptr) {
	c.report(" overflowed by a frame that does not fit", addr, sp)
	*at[uint8](c.g + gThrowsplit) = 1
}

// open makes the guard accessible from so many bytes below sp upwards. It reports
// false where that reaches below the guard, or the kernel refuses.
//
//go:norace
//go:nocheckptr
func (c *Context) open(sp, room uintptr) bool {
	low := (sp - room) &^ (pageSize - 1)
	if low >= c.openLo {
		return true
	}
	if low < c.runLo {
		return false
	}
	var errno uintptr
	if c.guardAdvice != 0 {
		errno = syscall3(sysMadvise, low, c.openLo-low, guardRemove)
	} else {
		errno = syscall3(sysMprotect, low, c.openLo-low, unix.PROT_READ|unix.PROT_WRITE)
	}
	if int(errno) < 0 {
		return false
	}
	c.openLo = low
	c.dirty = 1
	return true
}

// Opened reports whether a part of the guard is open, after an overflow.
func (c *Context) Opened() bool { return c.openLo != c.usableLo }

// Closed tells c that its guard is about to be whole again: nothing of c's stack
// may lie there any more.
func (c *Context) Closed() {
	c.openLo = c.usableLo
	c.dirty = 0
	c.panicked = 0
}

// FaultsPanic reports whether a memory fault of c's goroutine makes a panic, as
// debug.SetPanicOnFault sets it.
func (c *Context) FaultsPanic() bool { return *at[uint8](c.g + gPaniconfault) != 0 }

// Labelled reports whether c's goroutine has pprof labels.
func (c *Context) Labelled() bool { return *at[uintptr](c.g + gLabels) != 0 }

// Overflow returns the address of the last overflow and how many there were.
func (c *Context) Overflow() (addr uintptr, count int) {
	return c.faultAddr, int(c.overflows)
}
