//go:build linux

package asm

// Stepping by the CPU's trap flag, which raises SIGTRAP after each instruction.

const trapFlag = 0x100

// firstStep makes the CPU trap after the next instruction.
//
//go:norace
//go:nocheckptr
func (c *Context) firstStep(frame uintptr) bool {
	c.stepPC = *at[uintptr](frame + ucontextPC)
	c.stepSP = *at[uintptr](frame + ucontextSP)
	*at[uintptr](frame + ucontextFlags) |= trapFlag
	return true
}

// lastStep undoes firstStep.
//
//go:norace
//go:nocheckptr
func (c *Context) lastStep(frame uintptr) { *at[uintptr](frame + ucontextFlags) &^= trapFlag }

// onStep decides after each instruction. It reports false for a SIGTRAP that is
// none of ours.
//
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
	if !c.keepStepping(frame, g, m, called) {
		c.stopStepping(frame, m)
	}
	return true
}

// strayStep ends the stepping of a kernel thread that runs something else now.
//
//go:norace
//go:nocheckptr
func strayStep(info, frame uintptr) bool {
	if *at[uintptr](frame + ucontextFlags)&trapFlag == 0 || *at[int32](info + siginfoCode) <= 0 {
		return false
	}
	*at[uintptr](frame + ucontextFlags) &^= trapFlag
	return true
}

// leaveSlot has nothing to do here: instructions run where they are.
//
//go:norace
//go:nocheckptr
func leaveSlot(frame uintptr) {}

// callerAt returns the return address at the entry of a function.
//
//go:norace
//go:nocheckptr
func callerAt(_, sp uintptr) uintptr { return *at[uintptr](sp) }

// blocksSignals reports whether the next instruction is a system call after which
// SIGTRAP may be blocked, or the process another: a trap would kill it then.
//
//go:norace
//go:nocheckptr
func blocksSignals(pc, frame uintptr) bool {
	if *at[uint16](pc) != 0x050f { // SYSCALL
		return false
	}
	switch *at[uintptr](frame + ucontextAX) {
	case sysRtSigprocmask, sysClone, 57, 58, 435: // fork, vfork, clone3
		return true
	}
	return false
}

// checksStack reports whether the function that starts at pc compares SP, or SP
// less its frame, with the g's stackguard0.
//
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
