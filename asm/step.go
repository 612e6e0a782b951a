//go:build linux && (amd64 || arm64)

package asm

import "unsafe"

// Where the stack overflows there can hardly ever be a panic at once. In nearly all
// cases Go's runtime is at work, which allocates, holds a lock or changes a map:
// its frames reach deeper than those of its callers. And where it is a function's
// prologue, Go takes results and variables for set that are not yet. So the
// handler opens the guard, lets the program go on, and makes the panic at the next
// function call where it is safe: it goes on step by step, with a SIGTRAP after each
// instruction, and each time the handler looks. How that is done is in step_ARCH.go.
//
// Safe is the entry of a function, right after the call, if that function checks
// its stack (such calls are points where the collector knows the caller's frame
// exactly), and if no function of the runtime, or of package sync, is below it on
// the stack but those that call deferred functions or functions by reflection.
// There the function that panics is entered instead, as if the caller had called
// it. A function that makes no such call before it returns has used a part of the
// guard, and no harm is done.
//
// A step costs a signal, some ten microseconds on a virtual machine; an allocation
// takes some hundred steps.

// stepLimit is how many instructions are stepped through before we give up, which
// is a second or so; the next overflow starts anew.
const stepLimit = 100_000

// stepGrace is how many instructions SP may be lowered after the fault: a prologue on
// arm64 stores first, if the frame is large.
const stepGrace = 4

// stepBand is how far above the guard a panic may still begin: less than the
// smallest stack.
const stepBand = 8 << 10

// startStepping lets the program go on step by step. Meanwhile the m
// counts as locked, so that Go does not preempt the goroutine: what traps would
// stay behind on this kernel thread. It also keeps the collector from asking the
// goroutine for work. Stepping ends at the gates: what gives the m up, or stops the
// world, minds the lock. It reports false where there is no way to step.
//
//go:norace
//go:nocheckptr
func (c *Context) startStepping(frame, m uintptr) bool { // again after each fault
	c.stepping = stepLimit
	if c.stepM != m {
		c.stepM = m
		*at[int32](m + mLocks)++
	}
	if !c.firstStep(frame) {
		c.stopStepping(frame, m)
		return false
	}
	return true
}

// stopStepping undoes startStepping.
//
//go:norace
//go:nocheckptr
func (c *Context) stopStepping(frame, m uintptr) {
	c.stepping, c.stepM = 0, 0
	c.lastStep(frame)
	*at[int32](m + mLocks)--
}

// keepStepping decides after each instruction whether to step further. called
// says that it was a call.
//
//go:norace
//go:nocheckptr
func (c *Context) keepStepping(frame, g, m uintptr, called bool) bool {
	pc := *at[uintptr](frame + ucontextPC)
	sp := *at[uintptr](frame + ucontextSP)
	c.stepping--
	passed := g == c.g && sp > c.usableLo+stepBand && sp <= c.top // not on the way back from another stack
	switch {
	case passed && c.stepping < stepLimit-stepGrace:
		// The overflow has passed, and no panic must hit what called the body.
	case called && !passed && g == c.g && sp < c.top && sp > c.runLo && checksStack(pc) &&
		canPanic(g, m) && c.mayUnwind(callerAt(frame, sp), sp, *at[uintptr](frame + ucontextBP)) && c.open(sp, panicRoom):
		*at[uintptr](frame + ucontextPC) = panicOverflowPC
		c.panicked = 1
	case c.stepping > 0 && !atGate(pc) && !blocksSignals(pc, frame):
		return true
	}
	return false
}

// canPanic reports whether nothing that the m holds forbids a panic, but for the
// lock of the stepping.
//
//go:norace
//go:nocheckptr
func canPanic(g, m uintptr) bool {
	return *at[int32](m + mLocks) == 1 && *at[int32](m + mMallocing) == 0 &&
		*at[int32](m + mThrowing) == 0 && *at[uintptr](m + mPreemptoffLen) == 0 &&
		*at[int32](m + mDying) == 0 && *at[uintptr](g + gSyscallsp) == 0
}

// mayUnwind reports whether a panic at the entry of a function, with the return
// address, SP and BP of that moment, passes only frames that expect one. The frame
// pointers lead through them.
//
//go:norace
//go:nocheckptr
func (c *Context) mayUnwind(caller, sp, bp uintptr) bool {
	if caller < runtimeEnd || within(&syncCode, caller) {
		return false
	}
	for below := sp - 2*unsafe.Sizeof(sp); bp != 0; { // arm64 keeps it a word below SP
		if bp <= below || bp >= c.top {
			return false // no chain of frame pointers: assembly that uses BP
		}
		if back := *at[uintptr](bp + 8); back < runtimeEnd && !within(&unwindCode, back) {
			return false
		}
		below, bp = bp, *at[uintptr](bp)
	}
	return true
}

var panicOverflowPC = pcOf(panicOverflow)

// panicOverflow is entered in the place of a function that an overflowing body
// calls.
func panicOverflow() {
	c := Current()
	panic(guardFault{c.faultAddr})
}

// A guardFault looks like Go's own error for a memory fault.
type guardFault struct{ addr uintptr }

func (f guardFault) Error() string {
	return "runtime error: stack overflow into the guard below"
}

// Addr returns the address of the fault.
func (f guardFault) Addr() uintptr { return f.addr }

// RuntimeError marks it as one of Go's.
func (f guardFault) RuntimeError() {}
