//go:build linux && (amd64 || arm64)

package asm

import "unsafe"

// A Context is a goroutine that has left its own stack for one of ours: what
// the switch, the fault handler and the launch need to know about it. The
// assembly reads its fields through go_asm.h. Its memory must not move, and
// must stay reachable as long as the goroutine is adopted.
type Context struct {
	// What every switch reads: these words, which are one cache line in package runtime.

	g     uintptr // the adopted goroutine
	runLo uintptr // bounds while it runs: from the bottom of the guard ...
	runHi uintptr // ... to beyond the top, see Init
	top   uintptr // upper bound while it is suspended: the true top
	locks uint64  // m.lockedExt and m.lockedInt at the last Enter
	dirty uintptr // an overflow has opened the guard, and the body went on
	back  uintptr // the goroutine that entered it last; Leave goes there

	// What every switch but Hop reads, too: another line.

	boundM    uintptr        // the m that the body has locked itself to, or 0
	closer    func()         // called instead of returning from LeaveShort's caller, if set
	inWords   unsafe.Pointer // five words: what LeaveShort's caller returns
	outWords  unsafe.Pointer // five words: what EnterShort's caller returns
	claim     *uint32        // the word that says who may enter
	rest      uint32         // what to store there after the next leave
	backShort uint32         // whoever entered went the short way
	selfShort uint32         // the context has left the short way
	final     uint32         // the next leave is the last: finalEvent or finalIdle
	event     Event          // why the last Enter came back
	held      uint32         // how often the body has locked itself to boundM

	landing func() // called instead of returning from EnterShort's caller, at the end
	bodies  *Bodies
	name    string // for what a fatal overflow prints, as id
	id      uint64
	origSP  uintptr // on the goroutine's own stack; below it are its bounds, see adopt

	// The guard, which is [runLo, usableLo), and what an overflow leaves behind.

	usableLo    uintptr
	openLo      uintptr // [openLo, usableLo) is open
	guardAdvice uint32  // it is opened by MADV_GUARD_REMOVE, not by mprotect
	panicked    uint32  // the last overflow has had its panic, and the guard is still open
	faultAddr   uintptr // address of the last overflow, 0 if there was none
	overflows   uintptr // how many there were
	stepping    uint32  // instructions that may still be stepped through, see step.go
	idle        uint32  // the claim word of a context that is not linked, see Unlink
	stepM       uintptr // the m that is locked meanwhile
	stepPC      uintptr // amd64: where the last of them was
	stepSP      uintptr
	stepSlot    uintptr // arm64: the number of the slot they run in, from 1; 0 if there is none

	raceWord uint32 // what the race detector is told about
}

// Bodies are what contexts run, each with the context as its argument. All contexts of a
// kind share them. They live as long as any of these.
type Bodies struct {
	// Entry is what runs on the stack. It must start with Begin and must not return: it
	// ends with Release.
	Entry func(*Context)
	// Landing is called by a context that is not linked, see Link. It may be nil.
	Landing func(*Context)
	// Rearm closes the guard when the body goes on after an overflow. It may be nil.
	Rearm func(*Context)
}

// Values of Context.final.
const (
	finalEvent = 1 // Finish: tell whoever has entered
	finalIdle  = 2 // FinishIdle: be claimable again, as after a yield
)
