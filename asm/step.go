//go:build linux && amd64

package asm

// Where the stack overflows inside Go's runtime, which allocates or holds a lock,
// there can be no panic: recursion that allocates overflows nearly always there,
// as the runtime's frames reach deeper than those of its callers. So the handler
// opens the guard as for any overflow, lets the runtime finish what it does, and
// makes the panic at the next function call after that: it sets the trap flag,
// the CPU raises SIGTRAP after each instruction, and each time the handler looks
// whether a panic is possible now.
//
// The place for it is the entry of a function, right after the CALL, if that
// function checks its stack: such calls are points where the collector knows the
// caller's frame exactly. There the function that panics is entered instead, as
// if the caller had called it.
//
// A step costs about a microsecond, an allocation some hundred steps.

// stepLimit is how many instructions are stepped through before we give up; the
// next overflow starts anew.
const stepLimit = 200_000

const (
	ucontextFlags = 176
	trapFlag      = 0x100
)

// startStepping makes the CPU trap after the next instruction.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (c *Context) startStepping(frame uintptr) {
	c.stepping = stepLimit
	c.stepPC = *at[uintptr](frame + ucontextPC)
	c.stepSP = *at[uintptr](frame + ucontextSP)
	*at[uintptr](frame + ucontextFlags) |= trapFlag
}

// onStep decides after each instruction. It reports false for a SIGTRAP that is
// none of ours.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (c *Context) onStep(info, frame, g, m uintptr) bool {
	if *at[uintptr](frame + ucontextFlags)&trapFlag == 0 || *at[int32](info + siginfoCode) <= 0 {
		return false
	}
	pc := *at[uintptr](frame + ucontextPC)
	sp := *at[uintptr](frame + ucontextSP)
	called := sp == c.stepSP-8 && *at[uintptr](sp)-c.stepPC-2 <= 6
	c.stepPC, c.stepSP = pc, sp
	c.stepping--
	switch {
	case called && g == c.g && sp < c.top && sp > c.guardLo && canPanic(g, m) && checksStack(pc):
		*at[uintptr](frame + ucontextPC) = panicOverflowPC
	case c.stepping > 0:
		return true
	}
	c.stepping = 0
	*at[uintptr](frame + ucontextFlags) &^= trapFlag
	return true
}

// strayStep ends the stepping of a kernel thread that runs something else now.
//
//go:nosplit
//go:norace
//go:nocheckptr
func strayStep(info, frame uintptr) bool {
	if *at[uintptr](frame + ucontextFlags)&trapFlag == 0 || *at[int32](info + siginfoCode) <= 0 {
		return false
	}
	*at[uintptr](frame + ucontextFlags) &^= trapFlag
	return true
}

// checksStack reports whether the function that starts at pc compares SP, or SP
// less its frame, with the g's stackguard0.
//
//go:nosplit
//go:norace
//go:nocheckptr
func checksStack(pc uintptr) bool {
	switch *at[uint32](pc) { // the first four bytes of
	case 0x10663b49, // CMPQ SP, 16(R14)
		0x24648d4c, // LEAQ -small(SP), R12
		0x24a48d4c: // LEAQ -large(SP), R12
		return true
	}
	return false
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
