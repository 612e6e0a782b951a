//go:build linux

#include "go_asm.h"
#include "textflag.h"

// Birth and death of a context: a goroutine moves to one of our stacks, starts
// over on it after its frames were abandoned, and moves back before it ends.

// func bottom()
// The bottom frame of every context. It is never called: its address plus one
// instruction is the return address of the entry, so that the unwinder finds a
// function that is marked as the top of the stack and stops. An entry that
// returns runs into the trap.
TEXT ·bottom(SB), NOSPLIT|NOFRAME|TOPFRAME, $0-0
	NOOP
	BRK
	NOOP

// RETURN_TO_BOTTOM makes an entry return there.
#define RETURN_TO_BOTTOM \
	MOVD	$·bottom(SB), LR; \
	ADD	$4, LR, LR

// func adopt()
// R0 = *Context. Runs the entry on the context's stack and returns on the
// goroutine's own when that calls release. No frame of the goroutine's own
// stack is scanned in between: nothing may be live there, and nobody uses it. So what
// is to be put back is kept below SP, beyond where the caller saves its frame pointer:
//
//	origSP - 16    LR
//	       - 24    R29
//	       - 32    g.stktopsp
//	       - 40    g.stack.hi
//	       - 48    g.stack.lo
TEXT ·adopt(SB), NOSPLIT|NOFRAME, $0-0
	MOVD	g, Context_g(R0)
	MOVD	RSP, R10
	MOVD	R10, Context_origSP(R0)
	MOVD	LR, -16(R10)
	MOVD	R29, -24(R10)
	MOVD	const_gStktopsp(g), R9
	MOVD	R9, -32(R10)
	MOVD	const_gStackHi(g), R9
	MOVD	R9, -40(R10)
	MOVD	const_gStackLo(g), R9
	MOVD	R9, -48(R10)
	// Take the new one.
	MOVD	Context_runLo(R0), R9
	MOVD	R9, const_gStackLo(g)
	ADD	$const_stackGuard, R9, R9
	MOVD	R9, const_gStackguard0(g)
	MOVD	Context_runHi(R0), R9
	MOVD	R9, const_gStackHi(g)
	MOVD	R0, const_gStackguard1(g)
	MOVD	Context_top(R0), R9
	SUB	$const_entrySlack, R9, R9
	MOVD	R9, const_gStktopsp(g)
	MOVD	ZR, (R9)
	MOVD	R9, RSP
	MOVD	$0, R29                         // ends the chain of frame pointers
	RETURN_TO_BOTTOM
	MOVD	Context_bodies(R0), R26
	MOVD	Bodies_Entry(R26), R26          // closure register; R0 is the argument
	MOVD	(R26), R9
	JMP	(R9)

// func restart()
// Where a context goes on after rewind has thrown its frames away: the entry,
// from its first instruction. Until then sched.lr says who called it.
TEXT ·restart(SB), NOSPLIT|NOFRAME, $0-0
	MOVD	const_gStackguard1(g), R0
	MOVD	ZR, const_gSchedLR(g)
	MOVD	R29, R9                         // abandoned; the read tells vet so
	MOVD	$0, R29
	RETURN_TO_BOTTOM
	MOVD	Context_bodies(R0), R26
	MOVD	Bodies_Entry(R26), R26          // R0 is the argument
	MOVD	(R26), R9
	JMP	(R9)

// func release()
// R0 = *Context of the running goroutine. Puts its own stack back and returns
// from its adopt.
TEXT ·release(SB), NOSPLIT|NOFRAME, $0-0
	MOVD	Context_origSP(R0), R10
	MOVD	-48(R10), R9
	MOVD	R9, const_gStackLo(g)
	ADD	$const_stackGuard, R9, R9
	MOVD	R9, const_gStackguard0(g)
	MOVD	-40(R10), R9
	MOVD	R9, const_gStackHi(g)
	MOVD	$-1, R9
	MOVD	R9, const_gStackguard1(g)
	MOVD	-32(R10), R9
	MOVD	R9, const_gStktopsp(g)
	MOVD	R29, R9                         // abandoned; the read tells vet so
	MOVD	-24(R10), R29
	MOVD	-16(R10), LR
	MOVD	R10, RSP
	MOVD	ZR, Context_g(R0)
	RET

// hold sets the scan bit of the suspended goroutine R2, which keeps the
// collector and everybody else away; drop clears it: a plain store-release, since
// nobody else may change the status. hold clobbers R0, R8, R9, R10, R12 and R19.
TEXT hold<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVD	$0, R19
	ADD	$const_gAtomicstatus, R2, R9
	MOVD	$const_statusScanwaiting, R10
again:
	LDAXRW	(R9), R12
	CMPW	$const_statusWaiting, R12
	BNE	wait
	STLXRW	R10, (R9), R12
	CBNZW	R12, again
	RET
wait:
	YIELD
	ADD	$1, R19
	CMP	$64, R19
	BLT	again
	MOVD	$const_sysSchedYield, R8
	SVC
	B	again

TEXT drop<>(SB), NOSPLIT|NOFRAME, $0-0
	ADD	$const_gAtomicstatus, R2, R9
	MOVD	$const_statusWaiting, R10
	STLRW	R10, (R9)
	RET

// func rewind()
// R0 = *Context, suspended after a Goexit that will never return. Throws its
// frames, panics and defers away; the next Enter runs entry from the start.
TEXT ·rewind(SB), NOSPLIT, $0-0
	MOVD	R0, R1
	MOVD	Context_g(R1), R2
	CALL	hold<>(SB)
	MOVD	Context_top(R1), R9
	SUB	$const_entrySlack, R9, R9
	MOVD	R9, const_gSchedSP(R2)
	SUB	$const_suspendedSlack, R9, R9
	MOVD	R9, const_gStackLo(R2)
	MOVD	$·restart(SB), R9
	MOVD	R9, const_gSchedPC(R2)
	MOVD	$·bottom(SB), R9
	ADD	$4, R9, R9
	MOVD	R9, const_gSchedLR(R2)
	MOVD	ZR, const_gSchedBP(R2)
	MOVD	ZR, const_gPanic(R2)
	MOVD	ZR, const_gDefer(R2)
	CALL	drop<>(SB)
	RET

// func widen()
// R0 = *Context, suspended. Makes its goroutine ready for the Go scheduler, which
// takes stackguard0 from the bounds: they become the running ones. If it has
// left the short way, somebody must load its results: arrivein will, as if it had
// been called where the goroutine was to go on. A goroutine that divert has been at
// has entered another context since it left, and needs nothing more.
TEXT ·widen(SB), NOSPLIT, $0-0
	MOVD	R0, R1
	MOVD	Context_g(R1), R2
	CALL	hold<>(SB)
	MOVD	Context_runLo(R1), R9
	MOVD	R9, const_gStackLo(R2)
	MOVD	Context_runHi(R1), R9
	MOVD	R9, const_gStackHi(R2)
	MOVWU	Context_selfShort(R1), R9
	CBZW	R9, plain
	MOVW	ZR, Context_selfShort(R1)
	MOVD	const_gSchedPC(R2), R9
	MOVD	$arriveout<>(SB), R10
	CMP	R9, R10
	BEQ	plain
	MOVD	R9, const_gSchedLR(R2)
	MOVD	$arrivein<>(SB), R9
	MOVD	R9, const_gSchedPC(R2)
plain:
	CALL	drop<>(SB)
	RET

// arrivein is where a context goes on that has left the short way and is resumed
// by the Go scheduler: it does what the end of switchin does. LR is where the
// function returns that it stands for.
TEXT arrivein<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVD	const_gStackguard1(g), R7
	MOVD	Context_closer(R7), R26
	CBZ	R26, results
	MOVD	(R26), R11
	JMP	(R11)
results:
	MOVD	Context_inWords(R7), R10
	LDP	0(R10), (R0, R1)
	LDP	16(R10), (R2, R3)
	MOVD	32(R10), R4
	RET

// func divert()
// R0 = *Context whose goroutine is parked. The goroutine that has entered it the
// short way, Context_back, is about to be readied for the Go scheduler: it will
// go on at arriveout, which finds the context in the closure register.
TEXT ·divert(SB), NOSPLIT, $0-0
	MOVD	R0, R1
	MOVD	Context_back(R1), R2
	CALL	hold<>(SB)
	MOVD	const_gSchedPC(R2), R9
	MOVD	R9, const_gSchedLR(R2)
	MOVD	$arriveout<>(SB), R9
	MOVD	R9, const_gSchedPC(R2)
	MOVD	R1, const_gSchedCtxt(R2)
	CALL	drop<>(SB)
	RET

// arriveout is where a goroutine goes on that has entered a context the short
// way and is resumed by the Go scheduler: it does what the end of switchout does.
// R26 = *Context; LR as in arrivein.
TEXT arriveout<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVD	R26, R7
	MOVWU	Context_final(R7), R9
	CMPW	$const_finalEvent, R9
	BEQ	final
	MOVD	$const_EventYield, R9
	MOVW	R9, Context_event(R7)
	MOVD	Context_outWords(R7), R10
	MOVWU	Context_rest(R7), R9
	MOVD	Context_claim(R7), R12
	LDP	0(R10), (R0, R1)
	LDP	16(R10), (R2, R3)
	MOVD	32(R10), R4
	STLRW	R9, (R12)
	RET
final:
	MOVD	Context_landing(R7), R26
	MOVD	R7, R0
	MOVD	(R26), R11
	JMP	(R11)

// func callerPC()
// Returns in R0 the return address of the Go function that calls it, which the
// frame pointer of that function leads to.
TEXT ·callerPC(SB), NOSPLIT|NOFRAME, $0-0
	MOVD	8(R29), R0
	RET

// func atTop()
// The first function of a goroutine: R26 points to its code, to the func(uintptr)
// to go on as, and so does, with RSP as the argument.
TEXT ·atTop(SB), NOSPLIT|NOFRAME, $0-0
	MOVD	RSP, R0
	MOVD	8(R26), R26
	MOVD	(R26), R11
	JMP	(R11)

// func self()
// Returns in R0 the running goroutine's g.
TEXT ·self(SB), NOSPLIT|NOFRAME, $0-0
	MOVD	g, R0
	RET

// func roundTrip(save, load, other uintptr) (first, second uintptr)
// save and load keep all registers but R0, R27 and R28.
TEXT ·roundTrip(SB), NOSPLIT, $0-40
	MOVD	g, R19
	MOVD	save+0(FP), R20
	MOVD	load+8(FP), R21
	MOVD	other+16(FP), g
	CALL	(R20)
	MOVD	ZR, g
	CALL	(R21)
	MOVD	g, first+24(FP)
	MOVD	R19, g
	CALL	(R20)
	MOVD	ZR, g
	CALL	(R21)
	MOVD	g, second+32(FP)
	MOVD	R19, g
	RET

// func current()
// Returns in R0 the running goroutine's context, or 0.
TEXT ·current(SB), NOSPLIT|NOFRAME, $0-0
	MOVD	const_gStackguard1(g), R0
	CMN	$1, R0
	CSEL	EQ, ZR, R0, R0
	RET

// func publish(address uintptr, value uint32)
// A store-release: everything before it is seen first.
TEXT ·publish(SB), NOSPLIT, $0-12
	MOVD	address+0(FP), R0
	MOVWU	value+8(FP), R1
	STLRW	R1, (R0)
	RET

// The addresses of the functions above, for the
// func values that call them by the register ABI.
#define ADDRESS(getter, target) \
TEXT getter(SB), NOSPLIT, $0-8; \
	MOVD	$target(SB), R0; \
	MOVD	R0, ret+0(FP); \
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
ADDRESS(·atTopAddress, ·atTop)
