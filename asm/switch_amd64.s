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
//	guardLo = runLo ─► └──────────────────────────┘
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
// the world does not stop in the middle of an assembly function; the tracer
// likewise. So one look at the flag that compiled write barriers look at
// decides for the whole switch: while nobody marks, plain stores change the
// status; while somebody does, two compare-and-swaps. (On a Zen 5 a switch with
// them takes 12 ns, without 6.) A running tracer gets switches of its own.

// g0 of thread-local storage.
#define get_tls(r) MOVQ TLS, r
#define g(r) 0(r)(TLS*1)

// SAVE_FROM stores where the running goroutine R14 goes on: SP after the return
// address, the return address, and the caller's BP, which is still in BP since
// these functions have no frame. Leaves SP after return in CX.
#define SAVE_FROM \
	MOVQ	(SP), BX; \
	LEAQ	8(SP), CX; \
	MOVQ	CX, const_gSchedSP(R14); \
	MOVQ	BX, const_gSchedPC(R14); \
	MOVQ	BP, const_gSchedBP(R14); \
	MOVB	$const_waitReasonCoroutine, const_gWaitreason(R14)

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
// against 2.8 for the same six registers). sched.sp and .bp stay as they are;
// gogo clears them, but nothing reads them while the goroutine runs.
#define GO \
	MOVQ	DX, R14; \
	XORPS	X15, X15; \
	JMP	R11

// PROBE is how far below SP the stack is touched before a switch begins: its
// out-of-line calls push a few words, and a fault in the middle of a switch
// could not become a panic. The probes are functions of their own because the
// unwinder refuses to walk through one that writes SP, as the switch does.
#define PROBE TESTB AX, -128(SP)

// func enter()
// AX = *Context. Suspends the running goroutine and resumes the context's.
// Returns when the context leaves, or at once when it is refused; event tells.
TEXT ·enter(SB), NOSPLIT|NOFRAME, $0-0
	PROBE
	JMP	switchin<>(SB)

TEXT switchin<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ	AX, DI                          // DI = context
	MOVQ	Context_g(DI), DX               // DX = to
	MOVQ	·traceFlag(SB), R9              // reasons not to switch this way:
	MOVBLZX	(R9), R10                       //   the tracer runs
	ORQ	const_gBubble(R14), R10         //   synctest counts us by status
	ORQ	Context_boundM(DI), R10         //   it locked itself to a kernel thread
	JNE	special
go:
	CMPL	const_gGoroutineProfiled(DX), $const_profileSatisfied
	JNE	profile
profiled:
	MOVQ	const_gM(R14), R12              // R12 = m
	MOVQ	const_gStackguard1(R14), R8     // R8 = context of from, or all ones
	SAVE_FROM
	MOVQ	R14, Context_back(DI)
	MOVQ	const_mLockedExt(R12), R13      // both counts in one word
	MOVQ	R13, Context_locks(DI)
	TAKE_OVER
	CMPQ	const_gLockedm(R14), $0
	JNE	locked
unlocked:
	CMPQ	R8, $-1
	JNE	nested
plain:
	EXCHANGE(marking, exchanged)
	RUNNING
	GO
nested:
	SUSPENDED
	JMP	plain
locked:
	CALL	movelock<>(SB)
	JMP	unlocked
profile:
	CALL	waitprofile<>(SB)
	JMP	profiled
	EXCHANGE_MARKING(marking, exchanged, claim, claimed, release)
special:
	CMPB	(R9), $0
	JNE	traced
	CMPQ	const_gBubble(R14), $0
	JNE	bubble
	MOVQ	const_gM(R14), R12
	CMPQ	R12, Context_boundM(DI)
	JEQ	go
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
// entered it. Returns when it is entered again, or at once when refused.
TEXT ·leave(SB), NOSPLIT|NOFRAME, $0-0
	PROBE
	JMP	switchout<>(SB)

TEXT switchout<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ	AX, R8                          // R8 = context of from
	MOVQ	Context_back(R8), DX            // DX = to
	MOVQ	const_gM(R14), R12              // R12 = m
	MOVQ	·traceFlag(SB), R9              // reasons not to switch this way:
	MOVBLZX	(R9), R10                       //   the tracer runs
	MOVQ	Context_g(R8), R11
	XORQ	R14, R11                        //   this is not the context's goroutine
	ORQ	R11, R10
	MOVQ	const_mLockedExt(R12), R13
	MOVQ	Context_locks(R8), R11
	XORQ	R13, R11                        //   the body has locked or unlocked
	ORQ	R11, R10
	JNE	special
go:
	CMPL	const_gGoroutineProfiled(DX), $const_profileSatisfied
	JNE	profile
profiled:
	SAVE_FROM
	TAKE_OVER
	CMPQ	const_gLockedm(R14), $0
	JNE	locked
unlocked:
	SUSPENDED
	EXCHANGE(marking, exchanged)
	MOVQ	const_gStackguard1(DX), DI
	CMPQ	DI, $-1
	JNE	nested
	GO
nested:
	RUNNING
	GO
locked:
	CALL	movelock<>(SB)
	JMP	unlocked
profile:
	CALL	waitprofile<>(SB)
	JMP	profiled
	EXCHANGE_MARKING(marking, exchanged, claim, claimed, release)
special:
	CMPB	(R9), $0
	JNE	traced
	CMPQ	R14, Context_g(R8)
	JNE	stranger
	CALL	relocked<>(SB)
	TESTL	AX, AX
	JEQ	go
	MOVL	AX, Context_event(R8)
	RET
stranger:
	MOVL	$const_EventStranger, Context_event(R8)
	RET
traced:
	MOVQ	·leaveTracedFn(SB), DX          // func(*Context), AX still holds it
	MOVQ	(DX), R11
	JMP	R11

// waitprofile waits until no goroutine profile is reading DX's stack, and makes
// it count as read. It runs before DX is claimed: a profile throws when it
// meets a running goroutine that it has not read.
TEXT waitprofile<>(SB), NOSPLIT|NOFRAME, $0-0
	XORL	R15, R15                        // R15 = turns waited
again:
	MOVL	const_gGoroutineProfiled(DX), AX
	CMPL	AX, $const_profileSatisfied
	JEQ	done
	CMPL	AX, $const_profileInProgress
	JEQ	wait
	MOVL	$const_profileSatisfied, SI     // AX = absent
	LOCK
	CMPXCHGL	SI, const_gGoroutineProfiled(DX)
	JEQ	done
wait:
	CALL	pause<>(SB)
	JMP	again
done:
	RET

// waitclaim repeats the CAS that makes DX running until the collector has
// dropped its scan bit.
TEXT waitclaim<>(SB), NOSPLIT|NOFRAME, $0-0
	XORL	R15, R15
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
	XORL	R15, R15
again:
	CALL	pause<>(SB)
	MOVL	$const_statusRunning, AX
	MOVL	$const_statusWaiting, SI
	LOCK
	CMPXCHGL	SI, const_gAtomicstatus(R14)
	JNE	again
	RET

// pause gives way for a moment, and from the 64th time on (R15 counts) gives
// the CPU to another thread: the holder of the bit may wait for it. Keeps CX.
TEXT pause<>(SB), NOSPLIT|NOFRAME, $0-0
	INCL	R15
	CMPL	R15, $64
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

// relocked decides about a context R8 on m R12 that leaves with other lock
// counts than it was entered with (R13 = the present ones). AX = 0: go on;
// otherwise the event with which Leave is refused.
//   - lockedInt differs: a C function's callback is open on this stack, and C
//     frames lie on the kernel thread's own stack. Nobody may leave.
//   - the body ends: the counts go back to what they were, as Go undoes the
//     lock of a goroutine that ends.
//   - the body has locked itself: it is bound to this m from now on.
//   - the body has unlocked: it is no longer bound.
TEXT relocked<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ	Context_locks(R8), BX
	MOVQ	R13, SI
	XORQ	BX, SI
	JEQ	done                            // nothing changed (AX = 0 below)
	SHRQ	$32, SI                         // upper half: lockedInt
	JNE	callback
	CMPL	Context_final(R8), $0
	JNE	final
	XORL	AX, AX
	MOVQ	AX, Context_boundM(R8)
	CMPL	R13, BX                         // lower half: lockedExt
	JLS	done
	MOVQ	R12, Context_boundM(R8)
done:
	XORL	AX, AX
	RET
final:
	XORL	AX, AX
	MOVQ	AX, Context_boundM(R8)
	MOVQ	BX, const_mLockedExt(R12)
	TESTQ	BX, BX
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
