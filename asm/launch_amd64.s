//go:build linux

#include "go_asm.h"
#include "textflag.h"

// Birth and death of a context: a goroutine moves to one of our stacks, starts
// over on it after its frames were abandoned, and moves back before it ends.

// func bottom()
// The bottom frame of every context. It is never called: its address plus one
// lies where the entry's return address is looked for, so that the unwinder
// finds a function that is marked as the top of the stack and stops. An entry
// that returns runs into the trap.
TEXT ·bottom(SB), NOSPLIT|NOFRAME|TOPFRAME, $0-0
	BYTE	$0x90
	INT	$3
	BYTE	$0x90

// func adopt()
// AX = *Context. Runs the entry on the context's stack and returns on the
// goroutine's own when that calls release. No frame of the goroutine's own
// stack is scanned in between: nothing may be live there, and nobody uses it. So what
// is to be put back is kept below SP, where the return address is:
//
//	origSP ──► return address
//	     -8    BP
//	    -16    g.stktopsp
//	    -24    g.stack.hi
//	    -32    g.stack.lo
TEXT ·adopt(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ	R14, Context_g(AX)
	MOVQ	SP, Context_origSP(AX)
	MOVQ	BP, -8(SP)
	MOVQ	const_gStktopsp(R14), BX
	MOVQ	BX, -16(SP)
	MOVQ	const_gStackHi(R14), BX
	MOVQ	BX, -24(SP)
	MOVQ	const_gStackLo(R14), BX
	MOVQ	BX, -32(SP)
	// Take the new one.
	MOVQ	Context_runLo(AX), BX
	MOVQ	BX, const_gStackLo(R14)
	ADDQ	$const_stackGuard, BX
	MOVQ	BX, const_gStackguard0(R14)
	MOVQ	Context_runHi(AX), BX
	MOVQ	BX, const_gStackHi(R14)
	MOVQ	AX, const_gStackguard1(R14)
	MOVQ	Context_top(AX), BX
	SUBQ	$const_entrySlack, BX
	MOVQ	BX, const_gStktopsp(R14)
	LEAQ	·bottom(SB), CX
	INCQ	CX
	MOVQ	CX, -8(BX)
	LEAQ	-8(BX), SP
	XORL	BP, BP                          // ends the chain of frame pointers
	MOVQ	Context_bodies(AX), DX
	MOVQ	Bodies_Entry(DX), DX            // closure register; AX is the argument
	MOVQ	(DX), CX
	JMP	CX

// func restart()
// Where a context goes on after restart_ has thrown its frames away: the entry,
// from its first instruction.
TEXT ·restart(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ	const_gStackguard1(R14), AX
	MOVQ	Context_bodies(AX), DX
	MOVQ	Bodies_Entry(DX), DX            // AX is the argument
	MOVQ	BP, CX                          // abandoned; the read tells vet so
	XORL	BP, BP
	MOVQ	(DX), CX
	JMP	CX

// func release()
// AX = *Context of the running goroutine. Puts its own stack back and returns
// from its adopt.
TEXT ·release(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ	Context_origSP(AX), CX
	MOVQ	-32(CX), BX
	MOVQ	BX, const_gStackLo(R14)
	ADDQ	$const_stackGuard, BX
	MOVQ	BX, const_gStackguard0(R14)
	MOVQ	-24(CX), BX
	MOVQ	BX, const_gStackHi(R14)
	MOVQ	$-1, const_gStackguard1(R14)
	MOVQ	-16(CX), BX
	MOVQ	BX, const_gStktopsp(R14)
	MOVQ	BP, BX                          // abandoned; the read tells vet so
	MOVQ	-8(CX), BP
	MOVQ	CX, SP
	MOVQ	$0, Context_g(AX)
	XORPS	X15, X15
	RET

// hold sets the scan bit of the suspended goroutine DX, which keeps the
// collector and everybody else away; drop clears it: a plain
// store, since nobody else may change the status. hold clobbers AX, SI, R15.
TEXT hold<>(SB), NOSPLIT|NOFRAME, $0-0
	XORL	R15, R15
again:
	MOVL	$const_statusWaiting, AX
	MOVL	$const_statusScanwaiting, SI
	LOCK
	CMPXCHGL	SI, const_gAtomicstatus(DX)
	JEQ	done
	PAUSE
	INCL	R15
	CMPL	R15, $64
	JLT	again
	MOVL	$24, AX                         // sched_yield
	SYSCALL
	JMP	again
done:
	RET

TEXT drop<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVL	$const_statusWaiting, const_gAtomicstatus(DX)
	RET

// func rewind()
// AX = *Context, suspended after a Goexit that will never return. Throws its
// frames, panics and defers away; the next Enter runs entry from the start.
TEXT ·rewind(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ	AX, DI
	MOVQ	Context_g(DI), DX
	CALL	hold<>(SB)
	MOVQ	Context_top(DI), BX
	SUBQ	$(const_entrySlack+8), BX
	MOVQ	BX, const_gSchedSP(DX)
	SUBQ	$const_suspendedSlack, BX
	MOVQ	BX, const_gStackLo(DX)
	LEAQ	·restart(SB), CX
	MOVQ	CX, const_gSchedPC(DX)
	XORL	AX, AX
	MOVQ	AX, const_gSchedBP(DX)
	MOVQ	AX, const_gPanic(DX)
	MOVQ	AX, const_gDefer(DX)
	CALL	drop<>(SB)
	RET

// func widen()
// AX = *Context, suspended. Makes its goroutine ready for the Go scheduler, which
// takes stackguard0 from the bounds: they become the running ones. If it has
// left the short way, somebody must load its results: arrivein will.
TEXT ·widen(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ	AX, DI
	MOVQ	Context_g(DI), DX
	CALL	hold<>(SB)
	MOVQ	Context_runLo(DI), BX
	MOVQ	BX, const_gStackLo(DX)
	MOVQ	Context_runHi(DI), BX
	MOVQ	BX, const_gStackHi(DX)
	CMPL	Context_selfShort(DI), $0
	JEQ	plain
	MOVL	$0, Context_selfShort(DI)
	MOVQ	const_gSchedSP(DX), BX
	MOVQ	const_gSchedPC(DX), CX
	MOVQ	CX, -8(BX)                      // the return address of arrivein
	SUBQ	$8, BX
	MOVQ	BX, const_gSchedSP(DX)
	LEAQ	arrivein<>(SB), CX
	MOVQ	CX, const_gSchedPC(DX)
plain:
	CALL	drop<>(SB)
	RET

// arrivein is where a context goes on that has left the short way and is resumed
// by the Go scheduler: it does what the end of switchin does.
TEXT arrivein<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ	const_gStackguard1(R14), R8
	MOVQ	Context_closer(R8), DX
	TESTQ	DX, DX
	JEQ	results
	MOVQ	(DX), R11
	JMP	R11
results:
	MOVQ	Context_inWords(R8), R10
	MOVQ	0(R10), AX
	MOVQ	8(R10), BX
	MOVQ	16(R10), CX
	MOVQ	24(R10), DI
	MOVQ	32(R10), SI
	RET

// func divert()
// AX = *Context whose goroutine is parked. The goroutine that has entered it the
// short way, Context_back, is about to be readied for the Go scheduler: it will
// go on at arriveout.
TEXT ·divert(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ	AX, DI
	MOVQ	Context_back(DI), DX
	CALL	hold<>(SB)
	MOVQ	const_gSchedSP(DX), BX
	MOVQ	const_gSchedPC(DX), CX
	MOVQ	CX, -8(BX)                      // the return address of arriveout
	MOVQ	DI, -16(BX)                     // what it pops
	SUBQ	$16, BX
	MOVQ	BX, const_gSchedSP(DX)
	LEAQ	arriveout<>(SB), CX
	INCQ	CX                              // past the PUSHQ, which is one byte
	MOVQ	CX, const_gSchedPC(DX)
	CALL	drop<>(SB)
	RET

// arriveout is where a goroutine goes on that has entered a context the short
// way and is resumed by the Go scheduler: it does what the end of switchout does.
// The PUSHQ is never executed; it tells the unwinder of the word on the stack.
TEXT arriveout<>(SB), NOSPLIT|NOFRAME, $0-0
	PUSHQ	AX
	POPQ	R8
	CMPL	Context_final(R8), $const_finalEvent
	JEQ	final
	MOVL	$const_EventYield, Context_event(R8)
	MOVQ	Context_outWords(R8), R10
	MOVL	Context_rest(R8), R9
	MOVQ	Context_claim(R8), R12
	MOVQ	0(R10), AX
	MOVQ	8(R10), BX
	MOVQ	16(R10), CX
	MOVQ	24(R10), DI
	MOVQ	32(R10), SI
	MOVL	R9, (R12)
	RET
final:
	MOVQ	Context_landing(R8), DX
	MOVQ	R8, AX
	MOVQ	(DX), R11
	JMP	R11

// func callerPC()
// Returns in AX the return address of the Go function that calls it, which the
// frame pointer of that function leads to.
TEXT ·callerPC(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ	8(BP), AX
	RET

// func stackTop()
// Returns in AX where the outermost frame of the goroutine ends: SP before its
// return address was pushed. The chain of frame pointers leads there.
TEXT ·stackTop(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ	BP, AX
again:
	MOVQ	(AX), CX
	TESTQ	CX, CX
	JEQ	done
	MOVQ	CX, AX
	JMP	again
done:
	ADDQ	$16, AX
	RET

// func self()
// Returns in AX the running goroutine's g.
TEXT ·self(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ	R14, AX
	RET

// func current()
// Returns in AX the running goroutine's context, or 0.
TEXT ·current(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ	const_gStackguard1(R14), AX
	XORL	BX, BX
	CMPQ	AX, $-1
	CMOVQEQ	BX, AX
	RET

// func publish(address uintptr, value uint32)
// A plain store: this architecture keeps stores in order.
TEXT ·publish(SB), NOSPLIT, $0-12
	MOVQ	address+0(FP), AX
	MOVL	value+8(FP), BX
	MOVL	BX, (AX)
	RET

// The addresses of the functions above, for the
// func values that call them by the register ABI.
#define ADDRESS(getter, target) \
TEXT getter(SB), NOSPLIT, $0-8; \
	LEAQ	target(SB), AX; \
	MOVQ	AX, ret+0(FP); \
	RET

ADDRESS(·enterAddress, ·enter)
ADDRESS(·enterShortAddress, ·enterShort)
ADDRESS(·leaveAddress, ·leave)
ADDRESS(·hopAddress, ·hop)
ADDRESS(·prefetchAddress, ·prefetch)
ADDRESS(·leaveShortAddress, ·leaveShort)
ADDRESS(·divertAddress, ·divert)
ADDRESS(·adoptAddress, ·adopt)
ADDRESS(·releaseAddress, ·release)
ADDRESS(·rewindAddress, ·rewind)
ADDRESS(·widenAddress, ·widen)
ADDRESS(·callerPCAddress, ·callerPC)
ADDRESS(·selfAddress, ·self)
ADDRESS(·currentAddress, ·current)
ADDRESS(·stackTopAddress, ·stackTop)
