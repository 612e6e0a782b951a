//go:build linux

#include "go_asm.h"
#include "textflag.h"

// Switching between goroutine stacks.
//
// All functions of this file that take an argument take it in R0, as Go's
// register ABI does, and clobber every other register but RSP, R18, R28 (g) and
// R29, as every Go function may. Go calls them through func values that point
// here (see switch.go), which skips the wrapper that an ABI0 function gets.
//
// A context's stack, addresses growing upwards:
//
//	top ─────────────► ┌──────────────────────────┐
//	                   │ 64 bytes of slack        │
//	entrySP ─────────► ├──────────────────────────┤ = g.stktopsp; the entry saves bottom+4
//	                   │ frames of entry          │   as its return address: the unwinder
//	sched.sp ────────► │   ... frames of the body │   stops there
//	                   │ R29 of the caller        │ while it is suspended
//	                   │                          │
//	usableLo ────────► ├──────────────────────────┤
//	                   │ guard                    │
//	runLo ───────────► └──────────────────────────┘
//
// A Go function keeps its return address at 0(RSP), its caller's R29 one word
// below that, and R29 is the address of the latter: RSP-8. So what R29 points to,
// plus 8, is where the caller's RSP was.
//
// Rules that every instruction below keeps:
//   - R28 names a goroutine whose m is set: a signal may arrive anywhere, and
//     its handler reads g.m.gsignal. Where C may run (runtime/cgo), it takes g from
//     thread-local storage, which therefore follows R28 before from loses its m.
//   - g.m is set before status says running, and cleared after it says waiting:
//     the collector reads g.m of whatever it sees running.
//   - Nothing but one word below RSP is ever needed: handlers run on the signal
//     stack, but Go's may push a call at RSP.
//
// This architecture does not keep stores in order. What must be seen before something
// else is ordered by the latter: it is a store-release (STLR), or the store of
// a compare-and-swap, which is one. And the status of a goroutine is always changed by
// a compare-and-swap here, also while nobody marks: so nothing depends on
// how soon a change of the collector's flag is seen. It is made of
// LDAXR and STLXR, which every processor has.
//
// For the tracer's flag and the goroutine profile's see switch_amd64.s: they are turned
// on with the world stopped, so they are seen by whoever runs afterwards.

// SAVE_FROM stores where the running goroutine goes on: at R3, with R4 in
// RSP and R5 in R29. Clobbers R9.
#define SAVE_FROM \
	MOVD	$const_waitReasonCoroutine, R9; \
	MOVD	R4, const_gSchedSP(g); \
	MOVD	R3, const_gSchedPC(g); \
	MOVD	R5, const_gSchedBP(g); \
	MOVB	R9, const_gWaitreason(g)

// HERE is the plain way to go on: where this call returns.
#define HERE \
	MOVD	LR, R3; \
	MOVD	RSP, R4; \
	MOVD	R29, R5

// THERE is the short way: where the Go function returns that makes this call,
// as if it were done. Its frame is given up.
#define THERE \
	LDP	(R29), (R5, R3); \
	ADD	$8, R5, R4

// RESULTS loads what the function that is returned from the short way gives
// back: its results lie side by side at R, and the first five words of them
// belong into these registers. In the plain way nobody looks at them.
#define RESULTS(R) \
	LDP	0(R), (R0, R1); \
	LDP	16(R), (R2, R3); \
	MOVD	32(R), R4

// TAKE_OVER makes R2 the goroutine of m R6; R8 is the one that was it. With
// runtime/cgo, Go's own function stores R28 where signal handlers look. Clobbers R0,
// R9, R27 and LR.
#define TAKE_OVER(stored) \
	MOVD	R6, const_gM(R2); \
	MOVD	R2, const_mCurg(R6); \
	MOVD	g, R8; \
	MOVD	R2, g; \
	MOVD	·saveG(SB), R9; \
	CBZ	R9, stored; \
	CALL	(R9); \
stored:

// SUSPENDED gives the goroutine R8, whose context is R7, the bounds of a
// suspended stack: its true size, see suspendedSlack. R4 is its saved RSP.
#define SUSPENDED \
	MOVD	Context_top(R7), R9; \
	SUB	$const_suspendedSlack, R4, R10; \
	MOVD	R9, const_gStackHi(R8); \
	MOVD	R10, const_gStackLo(R8)

// RUNNING gives the goroutine R2, whose context is R1, its running bounds.
#define RUNNING \
	MOVD	Context_runLo(R1), R9; \
	MOVD	Context_runHi(R1), R10; \
	MOVD	R9, const_gStackLo(R2); \
	ADD	$const_stackGuard, R9, R9; \
	MOVD	R10, const_gStackHi(R2); \
	MOVD	R9, const_gStackguard0(R2)

// EXCHANGE makes R2 running, moves to its stack, and only then makes R8
// waiting: from there on the collector may scan, and move, its stack. It leaves R11
// as the place where R2 goes on. Clobbers R9, R10 and R12.
#define EXCHANGE(claim, claimed, release, exchanged, waitclaim, waitrelease) \
	ADD	$const_gAtomicstatus, R2, R9; \
claim: \
	LDAXRW	(R9), R12; \
	CMPW	$const_statusWaiting, R12; \
	BNE	waitclaim; \
	MOVD	$const_statusRunning, R10; \
	STLXRW	R10, (R9), R12; \
	CBNZW	R12, claim; \
claimed: \
	MOVD	const_gSchedSP(R2), R9; \
	MOVD	R9, RSP; \
	ADD	$const_gAtomicstatus, R8, R9; \
release: \
	LDAXRW	(R9), R12; \
	CMPW	$const_statusRunning, R12; \
	BNE	waitrelease; \
	MOVD	$const_statusWaiting, R10; \
	STLXRW	R10, (R9), R12; \
	CBNZW	R12, release; \
exchanged: \
	MOVD	const_gSchedBP(R2), R29; \
	MOVD	const_gSchedPC(R2), R11; \
	ADD	$const_gM, R8, R9; \
	STLR	ZR, (R9)

// GO continues the goroutine R2, which R28 names already. A jump to the saved PC,
// not a RET: the return predictor would expect the call of this switch. No landing
// pad is needed there: Go's code is not mapped for branch target identification.
#define GO \
	JMP	(R11)

// CALL_INSTEAD calls the Go closure R26 as if the code at R11 had called it in
// place of the function that was to be returned from the short way.
#define CALL_INSTEAD \
	MOVD	R11, LR; \
	MOVD	(R26), R11; \
	JMP	(R11)

// BUSY makes R10 nonzero if the tracer or a goroutine profile is at work.
// Clobbers R9.
#define BUSY \
	MOVD	·traceFlag(SB), R9; \
	MOVBU	(R9), R10; \
	MOVD	·profileFlag(SB), R9; \
	MOVBU	(R9), R9; \
	ORR	R9, R10, R10

// There is no probe of the stack before a switch, as on amd64: nothing below uses it.

// func enter()
// R0 = *Context. Suspends the running goroutine and resumes the context's.
// Returns when the context leaves, or at once when it is refused; event tells.
TEXT ·enter(SB), NOSPLIT|NOFRAME, $0-0
	HERE
	MOVD	Context_claim(R0), R9           // leave publishes nothing new
	MOVWU	(R9), R9
	MOVW	ZR, Context_backShort(R0)
	MOVW	R9, Context_rest(R0)
	B	switchin<>(SB)

// func enterShort()
// R0 = *Context. Enter for a Go function that gives back what the context's
// leaveShort hands out: when that comes, this call does not return; the function
// does. It returns at once when refused, or from a plain leave.
TEXT ·enterShort(SB), NOSPLIT|NOFRAME, $0-0
	THERE
	MOVD	$1, R9
	MOVW	R9, Context_backShort(R0)
	MOVD	$const_ClaimSuspended, R9
	MOVW	R9, Context_rest(R0)
	B	switchin<>(SB)

// switchin does the work of both. R0 = *Context; R3, R4, R5 as for SAVE_FROM; LR
// is the return address of the call until the goroutine is saved.
TEXT switchin<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVD	R0, R1                          // R1 = context
	MOVD	Context_g(R1), R2               // R2 = to
	BUSY                                    // reasons not to switch this way:
	MOVD	const_gBubble(g), R9            //   synctest counts us by status
	ORR	R9, R10, R10
	MOVD	Context_boundM(R1), R9          //   it locked itself to a kernel thread
	ORR	R9, R10, R10
	CBNZ	R10, special
go:
	MOVD	const_gM(g), R6                 // R6 = m
	MOVD	const_gStackguard1(g), R7       // R7 = context of from, or all ones
	SAVE_FROM
	MOVD	g, Context_back(R1)
	MOVD	const_mLockedExt(R6), R9        // both counts in one word
	MOVD	R9, Context_locks(R1)
	TAKE_OVER(stored)                       // R8 = from
	MOVD	const_mLockedg(R6), R9          // so is g.lockedm, which would be a cache line more
	CBNZ	R9, locked
unlocked:
	CMN	$1, R7
	BNE	nested
plain:
	EXCHANGE(claim, claimed, release, exchanged, waitclaim, waitrelease)
	RUNNING
	MOVD	Context_closer(R1), R26
	CBNZ	R26, diverted
arrive:
	MOVD	Context_inWords(R1), R10
	RESULTS(R10)
	GO
nested:
	SUSPENDED
	B	plain
locked:
	CALL	movelock<>(SB)
	B	unlocked
waitclaim:
	CALL	waitclaim<>(SB)
	B	claimed
waitrelease:
	CALL	waitrelease<>(SB)
	B	exchanged
diverted:
	// A context that has left the short way cannot look for itself why it is
	// resumed: closer is called in place of what it waits in.
	MOVWU	Context_selfShort(R1), R9
	CBZW	R9, arrive
	CALL_INSTEAD
special:
	BUSY
	CBNZ	R10, traced
	MOVD	const_gBubble(g), R9
	CBNZ	R9, bubble
	MOVD	const_gM(g), R6
	MOVD	Context_boundM(R1), R9
	CBZ	R9, go                          // the tracer has gone between the looks
	CMP	R9, R6
	BNE	elsewhere
	MOVWU	Context_held(R1), R13
	MOVWU	const_mLockedExt(R6), R9
	CMPW	R13, R9
	BHS	go
	MOVW	R13, const_mLockedExt(R6)       // the resumer has undone the body's lock
	MOVD	R6, const_gLockedm(g)
	MOVD	g, const_mLockedg(R6)
	B	go
elsewhere:
	MOVD	$const_EventThread, R9
	MOVW	R9, Context_event(R1)
	RET
bubble:
	MOVD	$const_EventBubble, R9
	MOVW	R9, Context_event(R1)
	RET
traced:
	MOVD	·enterTracedFn(SB), R26         // func(*Context), R0 still holds it
	MOVD	(R26), R11
	JMP	(R11)

// func leave()
// R0 = *Context of the running goroutine. Suspends it and resumes the one that
// entered it. Returns when it is entered again; panics when refused.
TEXT ·leave(SB), NOSPLIT|NOFRAME, $0-0
	HERE
	MOVD	$0, R13
	B	switchout<>(SB)

// func leaveShort()
// R0 = *Context. Leave for a Go function that gives back what enterShort hands
// in: it is the function that returns then. This call returns only when the
// tracer runs.
TEXT ·leaveShort(SB), NOSPLIT|NOFRAME, $0-0
	THERE
	MOVD	$1, R13
	B	switchout<>(SB)

// switchout does the work of both. R0 = *Context; R3, R4, R5 as for SAVE_FROM;
// R13 = 1 for the short way; LR as in switchin. Whoever went in the short way is
// resumed with the results, unless the body has ended: then landing is called
// in their place.
TEXT switchout<>(SB), NOSPLIT|NOFRAME, $0-0
	// The context is found by way of g, not of R0, for speed: g is known before
	// the stack is, from which R0 was loaded.
	MOVD	const_gStackguard1(g), R7       // R7 = context of from
	CMP	R0, R7                          // reasons not to switch this way:
	BNE	stranger                        //   R0 is another's context
	MOVD	Context_back(R7), R2            // R2 = to
	MOVD	const_gM(g), R6                 // R6 = m
	BUSY
	MOVD	const_mLockedExt(R6), R11
	MOVD	Context_locks(R7), R9
	EOR	R9, R11, R11                    //   the body has locked or unlocked
	ORR	R11, R10, R10
	MOVD	Context_boundM(R7), R9          //   it has done so before
	ORR	R9, R10, R10
	MOVD	Context_dirty(R7), R9           //   a part of the guard is open
	ORR	R9, R10, R10
	CBNZ	R10, special
go:
	SAVE_FROM
	MOVW	R13, Context_selfShort(R7)
	TAKE_OVER(stored)                       // R8 = from
	MOVD	const_mLockedg(R6), R9          // so is g.lockedm, which would be a cache line more
	CBNZ	R9, locked
unlocked:
	SUSPENDED
	EXCHANGE(claim, claimed, release, exchanged, waitclaim, waitrelease)
	MOVD	const_gStackguard1(R2), R1
	CMN	$1, R1
	BNE	nested
arrive:
	MOVWU	Context_final(R7), R9
	CMPW	$const_finalEvent, R9
	BEQ	final
	MOVD	$const_EventYield, R9
	MOVW	R9, Context_event(R7)
	MOVD	Context_outWords(R7), R10
	MOVWU	Context_rest(R7), R9
	MOVD	Context_claim(R7), R12
	RESULTS(R10)
	STLRW	R9, (R12)                       // from here on anyone may enter it
	GO
nested:
	RUNNING
	B	arrive
final:
	MOVWU	Context_backShort(R7), R9
	CBZW	R9, finalplain
	MOVD	Context_landing(R7), R26
	MOVD	R7, R0
	CALL_INSTEAD
finalplain:
	GO
locked:
	CALL	movelock<>(SB)
	B	unlocked
waitclaim:
	CALL	waitclaim<>(SB)
	B	claimed
waitrelease:
	CALL	waitrelease<>(SB)
	B	exchanged
special:
	BUSY
	CBNZ	R10, traced
	MOVD	Context_dirty(R7), R9
	CBNZ	R9, dirty
	MOVD	LR, R20
	CALL	relocked<>(SB)
	MOVD	R20, LR
	CBZ	R0, go
	MOVD	·refusedFn(SB), R26             // func(Event): it panics
	MOVD	(R26), R11
	JMP	(R11)
stranger:
	MOVD	$const_EventStranger, R0
	MOVD	·refusedFn(SB), R26
	MOVD	(R26), R11
	JMP	(R11)
dirty:
	MOVD	·leaveDirtyFn(SB), R26          // func(*Context), R0 still holds it
	MOVD	(R26), R11
	JMP	(R11)
traced:
	MOVD	·leaveTracedFn(SB), R26         // func(*Context), R0 still holds it
	MOVD	(R26), R11
	JMP	(R11)

// func hop()
// R0 = a goroutine that waits in a switch. Suspends the running goroutine and
// resumes that one, from whatever kind of switch it waits in, and leaves alone
// what the contexts of both know about who has entered them: for a scheduler,
// which goes from any goroutine to any other. Returns when somebody hops back.
TEXT ·hop(SB), NOSPLIT|NOFRAME, $0-0
	HERE
	MOVD	R0, R2                          // R2 = to
	BUSY
	CBNZ	R10, traced
	MOVD	const_gM(g), R6                 // R6 = m
	MOVD	const_gStackguard1(g), R7       // R7 = context of from, or all ones
	MOVD	const_gStackguard1(R2), R1      // R1 = context of to, or all ones
	SAVE_FROM
	TAKE_OVER(stored)                       // R8 = from
	MOVD	const_mLockedg(R6), R9          // so is g.lockedm, which would be a cache line more
	CBNZ	R9, locked
unlocked:
	CMN	$1, R7
	BNE	nested
plain:
	EXCHANGE(claim, claimed, release, exchanged, waitclaim, waitrelease)
	CMN	$1, R1
	BEQ	arrive
	MOVD	const_mLockedExt(R6), R9        // both counts in one word
	MOVD	R9, Context_locks(R1)
	RUNNING
arrive:
	// Here a RET is right, see switch_amd64.s.
	MOVD	R11, LR
	RET
nested:
	SUSPENDED
	B	plain
locked:
	CALL	movelock<>(SB)
	B	unlocked
waitclaim:
	CALL	waitclaim<>(SB)
	B	claimed
waitrelease:
	CALL	waitrelease<>(SB)
	B	exchanged
traced:
	MOVD	·hopTracedFn(SB), R26           // func(uintptr), R0 still holds it
	MOVD	(R26), R11
	JMP	(R11)

// func prefetch()
// R0 = a goroutine that waits in a switch. Has the lines fetched that the switch to it
// will touch: of its g, of its context and of its stack.
TEXT ·prefetch(SB), NOSPLIT|NOFRAME, $0-0
	MOVD	const_gSchedSP(R0), R1
	MOVD	const_gStackguard1(R0), R2      // all ones if it has no context: no line at all
	ADD	$const_gAtomicstatus, R0, R3
	PRFM	const_gSchedPC(R0), PLDL1KEEP
	PRFM	(R3), PLDL1KEEP
	PRFM	(R2), PLDL1KEEP
	PRFM	(R1), PLDL1KEEP
	PRFM	64(R1), PLDL1KEEP
	PRFM	128(R1), PLDL1KEEP
	RET

// PAUSE gives way for a moment, and from the 64th time on (R19 counts) gives
// the CPU to another thread: the holder of the bit may wait for it. A system call
// keeps all registers but R0; R21 is for R8.
#define PAUSE(again) \
	YIELD; \
	ADD	$1, R19; \
	CMP	$64, R19; \
	BLT	again; \
	MOVD	R8, R21; \
	MOVD	$const_sysSchedYield, R8; \
	SVC; \
	MOVD	R21, R8; \
	B	again

// waitclaim repeats the CAS that makes R2 running until the collector has
// dropped its scan bit.
TEXT waitclaim<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVD	$0, R19
	ADD	$const_gAtomicstatus, R2, R9
	MOVD	$const_statusRunning, R10
again:
	LDAXRW	(R9), R12
	CMPW	$const_statusWaiting, R12
	BNE	wait
	STLXRW	R10, (R9), R12
	CBNZW	R12, again
	RET
wait:
	PAUSE(again)

// waitrelease repeats the CAS that makes R8 waiting, on the stack of R2.
TEXT waitrelease<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVD	$0, R19
	ADD	$const_gAtomicstatus, R8, R9
	MOVD	$const_statusWaiting, R10
again:
	LDAXRW	(R9), R12
	CMPW	$const_statusRunning, R12
	BNE	wait
	STLXRW	R10, (R9), R12
	CBNZW	R12, again
	RET
wait:
	PAUSE(again)

// movelock hands the kernel-thread lock of R8 to R2: m R6 stays theirs.
TEXT movelock<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVD	ZR, const_gLockedm(R8)
	MOVD	R6, const_gLockedm(R2)
	MOVD	R2, const_mLockedg(R6)
	RET

// relocked decides about a context R7 on m R6 that may leave with other lock
// counts than it was entered with, or holds locks. R0 = 0: go on; otherwise the
// event with which Leave is refused. Keeps R2, R3, R4, R5, R13 and R20.
//   - lockedInt differs: a C function's callback is open on this stack, and C
//     frames lie on the kernel thread's own stack. Nobody may leave.
//   - the body ends: what it has locked and not unlocked is undone, as Go undoes
//     the lock of a goroutine that ends.
//   - otherwise held is how often it has locked more than unlocked, and while
//     that is not 0 the body is bound to this m.
TEXT relocked<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVD	Context_locks(R7), R10          // R10 = the counts then
	MOVD	const_mLockedExt(R6), R11       // R11 = the counts now
	EOR	R10, R11, R9
	LSR	$32, R9, R9                     // upper half: lockedInt
	CBNZ	R9, callback
	MOVD	$0, R0
	MOVWU	Context_held(R7), R12
	MOVWU	Context_final(R7), R9
	CBNZW	R9, final
	SUBW	R10, R11, R11                   // lower half: lockedExt
	ADDW	R12, R11, R11
	CMPW	$0, R11
	BGT	bound
	MOVW	ZR, Context_held(R7)
	MOVD	ZR, Context_boundM(R7)
	RET
bound:
	MOVW	R11, Context_held(R7)
	MOVD	R6, Context_boundM(R7)
	RET
final:
	SUBSW	R12, R10, R10                   // held came in earlier stretches
	BHS	enough
	MOVD	$0, R10                         // the resumer has undone some of it
enough:
	MOVW	R10, const_mLockedExt(R6)
	MOVW	ZR, Context_held(R7)
	MOVD	ZR, Context_boundM(R7)
	MOVD	const_mLockedExt(R6), R9        // both counts
	CBNZ	R9, held
	MOVD	ZR, const_gLockedm(g)           // was not locked when it came
	MOVD	ZR, const_mLockedg(R6)
	RET
held:
	MOVD	R6, const_gLockedm(g)           // was locked: leave hands that on
	MOVD	g, const_mLockedg(R6)
	RET
callback:
	MOVD	$const_EventCallback, R0
	RET
