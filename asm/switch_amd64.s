//go:build linux

#include "go_asm.h"
#include "textflag.h"

// Switching between goroutine stacks.
//
// All functions of this file that take an argument take it in AX, as Go's
// register ABI does, and clobber every other register but SP, BP and R14 (g),
// as every Go function may. Go calls them through func values that point here
// (see switch.go), which skips the wrapper that an ABI0 function gets.
//
// A context's stack, addresses growing upwards:
//
//	top ─────────────► ┌──────────────────────────┐
//	                   │ 64 bytes of slack        │
//	entrySP ─────────► ├──────────────────────────┤ = g.stktopsp
//	                   │ return address: bottom+1 │ the unwinder stops there
//	                   ├──────────────────────────┤
//	                   │ frames of entry          │
//	sched.sp ────────► │   ... frames of the body │ while it is suspended
//	                   │                          │
//	usableLo ────────► ├──────────────────────────┤
//	                   │ guard                    │
//	runLo ───────────► └──────────────────────────┘
//
// Rules that every instruction below keeps:
//   - TLS g names a goroutine whose m is set: a signal may arrive anywhere, and
//     its handler reads g.m.gsignal.
//   - g.m is set before status says running, and cleared after it says waiting:
//     the collector reads g.m of whatever it sees running.
//   - Nothing below SP is ever needed: handlers run on the signal stack, but
//     Go's may push a call at SP.
//
// Who else changes the status of a suspended or a running goroutine? Only the
// collector while it marks, and the execution tracer, which both suspend
// goroutines by a scan bit. Marking begins and ends with the world stopped, and
// the world does not stop in the middle of an assembly function. So one look at
// the flag that compiled write barriers look at decides for the whole switch:
// while nobody marks, plain stores change the status; while somebody does, two
// compare-and-swaps. (On a Zen 5 a switch with them takes 12 ns, without 6.)
//
// The tracer's flag goes on with the world stopped, too, and off only after the
// last goroutine was suspended for it. The goroutine profile's, which reads the
// stacks of goroutines before they run again, goes on and off with the world
// stopped. While one of the two is on, switches are made by Go's scheduler, which
// knows what to do.

// g0 of thread-local storage.
#define get_tls(r) MOVQ TLS, r
#define g(r) 0(r)(TLS*1)

// SAVE_FROM stores where the running goroutine R14 goes on: at BX, with CX in
// SP and SI in BP.
#define SAVE_FROM \
	MOVQ	CX, const_gSchedSP(R14); \
	MOVQ	BX, const_gSchedPC(R14); \
	MOVQ	SI, const_gSchedBP(R14); \
	MOVB	$const_waitReasonCoroutine, const_gWaitreason(R14)

// HERE is the plain way to go on: where this call returns.
#define HERE \
	MOVQ	(SP), BX; \
	LEAQ	8(SP), CX; \
	MOVQ	BP, SI

// THERE is the short way: where the Go function returns that makes this call,
// as if it were done. Its frame lies below BP, and is given up.
#define THERE \
	MOVQ	8(BP), BX; \
	LEAQ	16(BP), CX; \
	MOVQ	(BP), SI

// RESULTS loads what the function that is returned from the short way gives
// back: its results lie side by side at R, and the first five words of them
// belong into these registers. In the plain way nobody looks at them.
#define RESULTS(R) \
	MOVQ	0(R), AX; \
	MOVQ	8(R), BX; \
	MOVQ	16(R), CX; \
	MOVQ	24(R), DI; \
	MOVQ	32(R), SI

// TAKE_OVER makes DX the goroutine of m R12. Clobbers AX.
#define TAKE_OVER \
	MOVQ	R12, const_gM(DX); \
	MOVQ	DX, const_mCurg(R12); \
	get_tls(AX); \
	MOVQ	DX, g(AX)

// SUSPENDED gives the goroutine R14, whose context is R8, the bounds of a
// suspended stack: its true size, see suspendedSlack. CX is its saved SP.
#define SUSPENDED \
	MOVQ	Context_top(R8), R9; \
	LEAQ	-const_suspendedSlack(CX), R10; \
	MOVQ	R9, const_gStackHi(R14); \
	MOVQ	R10, const_gStackLo(R14)

// RUNNING gives the goroutine DX, whose context is DI, its running bounds.
#define RUNNING \
	MOVQ	Context_runLo(DI), R9; \
	MOVQ	Context_runHi(DI), R10; \
	MOVQ	R9, const_gStackLo(DX); \
	ADDQ	$const_stackGuard, R9; \
	MOVQ	R10, const_gStackHi(DX); \
	MOVQ	R9, const_gStackguard0(DX)

// EXCHANGE makes DX running, moves to its stack, and only then makes R14
// waiting: from there on the collector may scan, and move, its stack.
#define EXCHANGE(marking, exchanged) \
	MOVQ	·markFlag(SB), R9; \
	CMPL	(R9), $0; \
	JNE	marking; \
	MOVL	$const_statusRunning, const_gAtomicstatus(DX); \
	MOVQ	const_gSchedSP(DX), SP; \
	MOVL	$const_statusWaiting, const_gAtomicstatus(R14); \
exchanged: \
	MOVQ	const_gSchedBP(DX), BP; \
	MOVQ	const_gSchedPC(DX), R11; \
	MOVQ	$0, const_gM(R14)

// EXCHANGE_MARKING is the same with the collector about.
#define EXCHANGE_MARKING(marking, exchanged, claim, claimed, release) \
marking: \
	MOVL	$const_statusWaiting, AX; \
	MOVL	$const_statusRunning, SI; \
	LOCK; \
	CMPXCHGL	SI, const_gAtomicstatus(DX); \
	JNE	claim; \
claimed: \
	MOVQ	const_gSchedSP(DX), SP; \
	MOVL	$const_statusRunning, AX; \
	MOVL	$const_statusWaiting, SI; \
	LOCK; \
	CMPXCHGL	SI, const_gAtomicstatus(R14); \
	JEQ	exchanged; \
release: \
	CALL	waitrelease<>(SB); \
	JMP	exchanged; \
claim: \
	CALL	waitclaim<>(SB); \
	JMP	claimed

// GO continues the goroutine DX. A JMP to the saved PC, not a RET: the return
// predictor would expect the CALL of this switch and be wrong every time (8 ns
// against 2.8 for the same six registers). For the same reason it pays to go
// the short way: each RET between a switch and the user's code costs as much.
// sched.sp and .bp stay as they are; gogo clears them, but nothing reads them
// while the goroutine runs.
#define GO \
	MOVQ	DX, R14; \
	XORPS	X15, X15; \
	JMP	R11

// CALL_INSTEAD calls the Go closure DX as if the code at R11 had called it in
// place of the function that was to be returned from the short way. (No PUSHQ,
// which the assembler would count for the lines that follow, too.)
#define CALL_INSTEAD \
	LEAQ	-8(SP), SP; \
	MOVQ	R11, (SP); \
	XORPS	X15, X15; \
	MOVQ	(DX), R11; \
	JMP	R11

// BUSY makes R10 nonzero if the tracer or a goroutine profile is at work.
// Clobbers R9.
#define BUSY \
	MOVQ	·traceFlag(SB), R9; \
	MOVBLZX	(R9), R10; \
	MOVQ	·profileFlag(SB), R9; \
	MOVBLZX	(R9), R9; \
	ORQ	R9, R10

// PROBE is how far below SP the stack is touched before a switch begins: its
// out-of-line calls push a few words, and a fault in the middle of a switch
// could not become a panic. The probes are functions of their own because the
// unwinder refuses to walk through one that writes SP, as the switch does.
#define PROBE TESTB AX, -48(SP)

// func enter()
// AX = *Context. Suspends the running goroutine and resumes the context's.
// Returns when the context leaves, or at once when it is refused; event tells.
TEXT ·enter(SB), NOSPLIT|NOFRAME, $0-0
	PROBE
	HERE
	MOVQ	Context_claim(AX), R9           // leave publishes nothing new
	MOVL	(R9), R9
	MOVL	$0, Context_backShort(AX)
	MOVL	R9, Context_rest(AX)
	JMP	switchin<>(SB)

// func enterShort()
// AX = *Context. Enter for a Go function that gives back what the context's
// leaveShort hands out: when that comes, this call does not return; the function
// does. It returns at once when refused, or from a plain leave.
TEXT ·enterShort(SB), NOSPLIT|NOFRAME, $0-0
	PROBE
	THERE
	MOVL	$1, Context_backShort(AX)
	MOVL	$const_ClaimSuspended, Context_rest(AX)
	JMP	switchin<>(SB)

// switchin does the work of both. AX = *Context; BX, CX, SI as for SAVE_FROM.
TEXT switchin<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ	AX, DI                          // DI = context
	MOVQ	Context_g(DI), DX               // DX = to
	BUSY                                    // reasons not to switch this way:
	ORQ	const_gBubble(R14), R10         //   synctest counts us by status
	ORQ	Context_boundM(DI), R10         //   it locked itself to a kernel thread
	JNE	special
go:
	MOVQ	const_gM(R14), R12              // R12 = m
	MOVQ	const_gStackguard1(R14), R8     // R8 = context of from, or all ones
	SAVE_FROM
	MOVQ	R14, Context_back(DI)
	MOVQ	const_mLockedExt(R12), R13      // both counts in one word
	MOVQ	R13, Context_locks(DI)
	TAKE_OVER
	CMPQ	const_mLockedg(R12), $0         // so is g.lockedm, which would be a cache line more
	JNE	locked
unlocked:
	CMPQ	R8, $-1
	JNE	nested
plain:
	EXCHANGE(marking, exchanged)
	RUNNING
	CMPQ	Context_closer(DI), $0
	JNE	diverted
arrive:
	MOVQ	Context_inWords(DI), R10
	RESULTS(R10)
	GO
nested:
	SUSPENDED
	JMP	plain
locked:
	CALL	movelock<>(SB)
	JMP	unlocked
	EXCHANGE_MARKING(marking, exchanged, claim, claimed, release)
diverted:
	// A context that has left the short way cannot look for itself why it is
	// resumed: closer is called in place of what it waits in.
	CMPL	Context_selfShort(DI), $0
	JEQ	arrive
	MOVQ	DX, R14
	MOVQ	Context_closer(DI), DX
	CALL_INSTEAD
special:
	BUSY
	TESTL	R10, R10
	JNE	traced
	CMPQ	const_gBubble(R14), $0
	JNE	bubble
	CMPQ	Context_boundM(DI), $0
	JEQ	go                              // the tracer has gone between the looks
	MOVQ	const_gM(R14), R12
	CMPQ	R12, Context_boundM(DI)
	JNE	elsewhere
	MOVL	Context_held(DI), R13
	CMPL	const_mLockedExt(R12), R13
	JCC	go
	MOVL	R13, const_mLockedExt(R12)      // the resumer has undone the body's lock
	MOVQ	R12, const_gLockedm(R14)
	MOVQ	R14, const_mLockedg(R12)
	JMP	go
elsewhere:
	MOVL	$const_EventThread, Context_event(DI)
	RET
bubble:
	MOVL	$const_EventBubble, Context_event(DI)
	RET
traced:
	MOVQ	·enterTracedFn(SB), DX          // func(*Context), AX still holds it
	MOVQ	(DX), R11
	JMP	R11

// func leave()
// AX = *Context of the running goroutine. Suspends it and resumes the one that
// entered it. Returns when it is entered again; panics when refused.
TEXT ·leave(SB), NOSPLIT|NOFRAME, $0-0
	PROBE
	HERE
	MOVL	$0, R13
	JMP	switchout<>(SB)

// func leaveShort()
// AX = *Context. Leave for a Go function that gives back what enterShort hands
// in: it is the function that returns then. This call returns only when the
// tracer runs.
TEXT ·leaveShort(SB), NOSPLIT|NOFRAME, $0-0
	PROBE
	THERE
	MOVL	$1, R13
	JMP	switchout<>(SB)

// switchout does the work of both. AX = *Context; BX, CX, SI as for SAVE_FROM;
// R13 = 1 for the short way. Whoever went in the short way is resumed with the
// results, unless the body has ended: then landing is called in their place.
TEXT switchout<>(SB), NOSPLIT|NOFRAME, $0-0
	// The context is found by way of g, not of AX, for speed: g is known before
	// the stack is, from which AX was loaded.
	MOVQ	const_gStackguard1(R14), R8     // R8 = context of from
	MOVQ	AX, R11
	XORQ	R8, R11                         // reasons not to switch this way:
	JNE	stranger                        //   AX is another's context
	MOVQ	Context_back(R8), DX            // DX = to
	MOVQ	const_gM(R14), R12              // R12 = m
	BUSY
	MOVQ	const_mLockedExt(R12), R11
	XORQ	Context_locks(R8), R11          //   the body has locked or unlocked
	ORQ	R11, R10
	ORQ	Context_boundM(R8), R10         //   it has done so before
	ORQ	Context_dirty(R8), R10          //   a part of the guard is open
	JNE	special
go:
	SAVE_FROM
	MOVL	R13, Context_selfShort(R8)
	TAKE_OVER
	CMPQ	const_mLockedg(R12), $0         // so is g.lockedm, which would be a cache line more
	JNE	locked
unlocked:
	SUSPENDED
	EXCHANGE(marking, exchanged)
	MOVQ	const_gStackguard1(DX), DI
	CMPQ	DI, $-1
	JNE	nested
arrive:
	MOVQ	DX, R14
	CMPL	Context_final(R8), $const_finalEvent
	JEQ	final
	MOVL	$const_EventYield, Context_event(R8)
	MOVQ	Context_outWords(R8), R10
	MOVL	Context_rest(R8), R9
	MOVQ	Context_claim(R8), R12
	RESULTS(R10)
	XORPS	X15, X15
	MOVL	R9, (R12)                       // from here on anyone may enter it
	JMP	R11
nested:
	RUNNING
	JMP	arrive
final:
	CMPL	Context_backShort(R8), $0
	JEQ	finalplain
	MOVQ	Context_landing(R8), DX
	MOVQ	R8, AX
	CALL_INSTEAD
finalplain:
	XORPS	X15, X15
	JMP	R11
locked:
	CALL	movelock<>(SB)
	JMP	unlocked
	EXCHANGE_MARKING(marking, exchanged, claim, claimed, release)
special:
	BUSY
	TESTL	R10, R10
	JNE	traced
	CMPQ	Context_dirty(R8), $0
	JNE	dirty
	CALL	relocked<>(SB)
	TESTL	AX, AX
	JEQ	go
	MOVQ	·refusedFn(SB), DX              // func(Event): it panics
	MOVQ	(DX), R11
	JMP	R11
stranger:
	MOVL	$const_EventStranger, AX
	MOVQ	·refusedFn(SB), DX
	MOVQ	(DX), R11
	JMP	R11
dirty:
	MOVQ	·leaveDirtyFn(SB), DX           // func(*Context), AX still holds it
	MOVQ	(DX), R11
	JMP	R11
traced:
	MOVQ	·leaveTracedFn(SB), DX          // func(*Context), AX still holds it
	MOVQ	(DX), R11
	JMP	R11

// func hop()
// AX = a goroutine that waits in a switch. Suspends the running goroutine and
// resumes that one, from whatever kind of switch it waits in, and leaves alone
// what the contexts of both know about who has entered them: for a scheduler,
// which goes from any goroutine to any other. Returns when somebody hops back.
TEXT ·hop(SB), NOSPLIT|NOFRAME, $0-0
	PROBE
	HERE
	MOVQ	AX, DX                          // DX = to
	BUSY
	JNE	traced
	MOVQ	const_gM(R14), R12              // R12 = m
	MOVQ	const_gStackguard1(R14), R8     // R8 = context of from, or all ones
	MOVQ	const_gStackguard1(DX), DI      // DI = context of to, or all ones
	SAVE_FROM
	TAKE_OVER
	CMPQ	const_mLockedg(R12), $0         // so is g.lockedm, which would be a cache line more
	JNE	locked
unlocked:
	CMPQ	R8, $-1
	JNE	nested
plain:
	EXCHANGE(marking, exchanged)
	CMPQ	DI, $-1
	JEQ	arrive
	MOVQ	const_mLockedExt(R12), R13      // both counts in one word
	MOVQ	R13, Context_locks(DI)
	RUNNING
arrive:
	// Here a RET is right: both sides wait in a call of hop, mostly the very same
	// one, so that the return predictor, which has seen the call of from, is right
	// about the return of to, and about those of their callers.
	MOVQ	DX, R14
	XORPS	X15, X15
	LEAQ	-8(SP), SP
	MOVQ	R11, (SP)
	RET
nested:
	SUSPENDED
	JMP	plain
locked:
	CALL	movelock<>(SB)
	JMP	unlocked
	EXCHANGE_MARKING(marking, exchanged, claim, claimed, release)
traced:
	MOVQ	·hopTracedFn(SB), DX            // func(uintptr), AX still holds it
	MOVQ	(DX), R11
	JMP	R11

// func prefetch()
// AX = a goroutine that waits in a switch. Has the lines fetched that the switch to it
// will touch: of its g, of its context and of its stack.
TEXT ·prefetch(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ	const_gSchedSP(AX), BX
	MOVQ	const_gStackguard1(AX), CX      // all ones if it has no context: no line at all
	PREFETCHT0	const_gSchedPC(AX)
	PREFETCHT0	const_gAtomicstatus(AX)
	PREFETCHT0	(CX)
	PREFETCHT0	(BX)
	PREFETCHT0	64(BX)
	PREFETCHT0	128(BX)
	RET

// waitclaim repeats the CAS that makes DX running until the collector has
// dropped its scan bit.
TEXT waitclaim<>(SB), NOSPLIT|NOFRAME, $0-0
	XORL	R9, R9
again:
	CALL	pause<>(SB)
	MOVL	$const_statusWaiting, AX
	MOVL	$const_statusRunning, SI
	LOCK
	CMPXCHGL	SI, const_gAtomicstatus(DX)
	JNE	again
	RET

// waitrelease repeats the CAS that makes R14 waiting, on the stack of DX.
TEXT waitrelease<>(SB), NOSPLIT|NOFRAME, $0-0
	XORL	R9, R9
again:
	CALL	pause<>(SB)
	MOVL	$const_statusRunning, AX
	MOVL	$const_statusWaiting, SI
	LOCK
	CMPXCHGL	SI, const_gAtomicstatus(R14)
	JNE	again
	RET

// pause gives way for a moment, and from the 64th time on (R9 counts) gives
// the CPU to another thread: the holder of the bit may wait for it. Keeps CX.
TEXT pause<>(SB), NOSPLIT|NOFRAME, $0-0
	INCL	R9
	CMPL	R9, $64
	JGE	yield
	PAUSE
	RET
yield:
	MOVQ	CX, SI                          // a system call clobbers RCX and R11
	MOVL	$24, AX                         // sched_yield
	SYSCALL
	MOVQ	SI, CX
	RET

// movelock hands the kernel-thread lock of R14 to DX: m R12 stays theirs.
TEXT movelock<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ	$0, const_gLockedm(R14)
	MOVQ	R12, const_gLockedm(DX)
	MOVQ	DX, const_mLockedg(R12)
	RET

// relocked decides about a context R8 on m R12 that may leave with other lock
// counts than it was entered with, or holds locks. AX = 0: go on; otherwise the
// event with which Leave is refused. Keeps BX, CX, R13 and SI.
//   - lockedInt differs: a C function's callback is open on this stack, and C
//     frames lie on the kernel thread's own stack. Nobody may leave.
//   - the body ends: what it has locked and not unlocked is undone, as Go undoes
//     the lock of a goroutine that ends.
//   - otherwise held is how often it has locked more than unlocked, and while
//     that is not 0 the body is bound to this m.
TEXT relocked<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ	Context_locks(R8), R10          // R10 = the counts then
	MOVQ	const_mLockedExt(R12), R11      // R11 = the counts now
	MOVQ	R11, R9
	XORQ	R10, R9
	SHRQ	$32, R9                         // upper half: lockedInt
	JNE	callback
	XORL	AX, AX
	CMPL	Context_final(R8), $0
	JNE	final
	SUBL	R10, R11                        // lower half: lockedExt
	ADDL	Context_held(R8), R11
	CMPL	R11, $0
	JGT	bound
	MOVL	AX, Context_held(R8)
	MOVQ	AX, Context_boundM(R8)
	RET
bound:
	MOVL	R11, Context_held(R8)
	MOVQ	R12, Context_boundM(R8)
	RET
final:
	SUBL	Context_held(R8), R10           // held came in earlier stretches
	JCC	enough
	MOVL	AX, R10                         // the resumer has undone some of it
enough:
	MOVL	R10, const_mLockedExt(R12)
	MOVL	AX, Context_held(R8)
	MOVQ	AX, Context_boundM(R8)
	CMPQ	const_mLockedExt(R12), $0       // both counts
	JNE	held
	MOVQ	AX, const_gLockedm(R14)         // was not locked when it came
	MOVQ	AX, const_mLockedg(R12)
	RET
held:
	MOVQ	R12, const_gLockedm(R14)        // was locked: leave hands that on
	MOVQ	R14, const_mLockedg(R12)
	RET
callback:
	MOVL	$const_EventCallback, AX
	RET
