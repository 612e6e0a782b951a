//go:build linux && amd64

package asm

// A Context is a goroutine that has left its own stack for one of ours: what
// the switch, the fault handler and the launch need to know about it. The
// assembly reads its fields through go_asm.h. Its memory must not move, and
// must stay reachable as long as the goroutine is adopted.
type Context struct {
	g    uintptr // the adopted goroutine
	back uintptr // the goroutine that entered it last; Leave goes there

	runLo uintptr // bounds while it runs: from the bottom of the guard ...
	runHi uintptr // ... to beyond the top, see Bounds
	top   uintptr // upper bound while it is suspended: the true top

	event    Event  // why the last Enter came back, or why Leave was refused
	final    uint32 // nonzero: the next Leave ends the body, lock counts are undone
	locks    uint64 // m.lockedExt and m.lockedInt at the last Enter
	boundM   uintptr
	entrySP  uintptr // SP of the entry frame, g.stktopsp
	entry    func()  // what runs on the stack, started by Adopt and after Restart
	guardLo  uintptr // the guard is [guardLo, usableLo) ...
	usableLo uintptr
	openLo   uintptr // ... of which [openLo, usableLo) is open after an overflow

	faultAddr   uintptr // address of the last overflow, 0 if there was none
	overflows   uintptr // overflows since Init
	opened      uintptr // a part of the guard is open
	armedFault  uint32  // paniconfault was set by the handler, for one fault
	guardAdvice uint32  // the guard is opened by MADV_GUARD_REMOVE, not by mprotect
	namePtr     uintptr
	nameLen     uintptr
	id          uint64
	stackSize   uintptr
	origLo      uintptr // the goroutine's own stack, put back by Release
	origHi      uintptr
	origTop     uintptr
	origSP      uintptr
	origPC      uintptr
	origBP      uintptr
	raceWord    uint32 // what the race detector is told about
	name        string // keeps namePtr alive
}
