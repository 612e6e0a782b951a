//go:build linux

#include "go_asm.h"
#include "textflag.h"

// Switching between native contexts: code that follows C's ABI (System V,
// amd64), on stacks of its own.
//
// A fresh context's stack, addresses growing upwards:
//
//	hi ─────────────► ┌──────────────────────────┐ 16-aligned
//	                  │ 16 bytes of slack        │
//	sp = hi-16 ─────► ├──────────────────────────┤ 16-aligned, as before any CALL
//	                  │ return into nativeStart  │
//	SP at entry ────► ├──────────────────────────┤ 8 mod 16
//	                  │ frames of entry ...      │
//	sp when saved ──► │                          │ after the return address
//	                  ┊                          ┊
//	lo ─────────────► └──────────────────────────┘
//	                  ┊ guard, if there is one   ┊
//
// C's ABI wants of a function that it preserves RBX, RBP, R12 to R15, RSP and
// the control bits of MXCSR and of the x87. All else is the caller's, so a
// switch that its caller sees as an ordinary call keeps just these.
//
// The switch is also called by Go. There R14 is g: a context that is a goroutine
// gets its own back, and what native code does with R14 meanwhile is nobody's
// business, as signal handlers find g in thread-local storage, which the switch
// leaves alone. X15 must be zero in Go.
//
// A signal may arrive at any instruction: nothing below SP is needed, and its
// handler runs on the signal stack. The unwinder stops at these functions, as at any
// that write SP.

// SAVE stores in context DI where the caller goes on: SP after the return address, the
// return address, and the registers.
#define SAVE \
	MOVQ	(SP), AX; \
	LEAQ	8(SP), CX; \
	MOVQ	AX, NativeContext_pc(DI); \
	MOVQ	CX, NativeContext_sp(DI); \
	MOVQ	BP, NativeContext_bp(DI); \
	MOVQ	BX, NativeContext_bx(DI); \
	MOVQ	R12, NativeContext_r12(DI); \
	MOVQ	R13, NativeContext_r13(DI); \
	MOVQ	R14, NativeContext_r14(DI); \
	MOVQ	R15, NativeContext_r15(DI)

// LOAD continues context SI. A JMP to the saved address, not a RET: the return
// predictor would expect the CALL that brought us here and be wrong every time
// (8 ns against 2.8 for these registers), while the jump is predicted by where
// it went before.
#define LOAD \
	MOVQ	NativeContext_pc(SI), AX; \
	MOVQ	NativeContext_sp(SI), SP; \
	MOVQ	NativeContext_bp(SI), BP; \
	MOVQ	NativeContext_bx(SI), BX; \
	MOVQ	NativeContext_r12(SI), R12; \
	MOVQ	NativeContext_r13(SI), R13; \
	MOVQ	NativeContext_r14(SI), R14; \
	MOVQ	NativeContext_r15(SI), R15; \
	XORPS	X15, X15; \
	JMP	AX

// void swapContext(NativeContext *from, NativeContext *to)
// DI = from, SI = to. Saves the caller in from and continues to, with its
// floating-point control words.
//
// What costs most here is STMXCSR, 3 ns of the processor's time on a Zen 5; it
// comes first, so that the rest can go on beside it. LDMXCSR is cheap as long as
// nobody waits for it (a comparison that would save it costs 1.4 ns more, since it
// waits for STMXCSR). Loading the x87 control word is worth a comparison: it
// almost always is the same. One way between native code, measured in the
// same run, this takes 4.1 ns, with both words always loaded 4.4, Boost.Context 4.6.
//
// An x87 control word is never 0, because bit 6 of it always reads as 1. So 0 marks a
// context without words, one that swapRegisters has left: it keeps what is in force.
TEXT ·swapContext(SB), NOSPLIT|NOFRAME, $0-0
	STMXCSR	NativeContext_mxcsr(DI)
	FSTCW	NativeContext_fpcw(DI)          // without FWAIT: FNSTCW elsewhere
	SAVE
	MOVWLZX	NativeContext_fpcw(DI), DX
	CMPW	DX, NativeContext_fpcw(SI)
	JNE	differ
	LDMXCSR	NativeContext_mxcsr(SI)
load:
	LOAD
differ:
	CMPW	NativeContext_fpcw(SI), $0
	JEQ	load
	LDMXCSR	NativeContext_mxcsr(SI)
	FLDCW	NativeContext_fpcw(SI)
	JMP	load

// void swapRegisters(NativeContext *from, NativeContext *to)
// DI = from, SI = to. The same without the control words; marks from as one
// that has none.
TEXT ·swapRegisters(SB), NOSPLIT|NOFRAME, $0-0
	SAVE
	MOVL	$0, NativeContext_fpcw(DI)
	LOAD

// func swapContextGo(from, to *NativeContext)
// func swapRegistersGo(from, to *NativeContext)
// AX = from, BX = to, as Go's register ABI has it: the two above for Go, which
// preserves no register but SP, BP and R14 over a call. They look whether to can be
// continued, so that the Go function that calls them is small enough to be
// inlined: each return of a function that switches is one that the return
// predictor gets wrong, for the other side has called and returned meanwhile.
TEXT ·swapContextGo(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ	AX, DI
	MOVQ	BX, SI
	CMPQ	NativeContext_pc(SI), $0
	JEQ	unready
	JMP	·swapContext(SB)
unready:
	JMP	notready<>(SB)

TEXT ·swapRegistersGo(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ	AX, DI
	MOVQ	BX, SI
	CMPQ	NativeContext_pc(SI), $0
	JEQ	unready
	JMP	·swapRegisters(SB)
unready:
	JMP	notready<>(SB)

// notready<> goes on as the Go function that panics, as if that had been called.
TEXT notready<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ	SI, AX
	MOVQ	·panicNotReadyFn(SB), DX        // closure register
	MOVQ	(DX), CX
	JMP	CX

// func nativeStart()
// Where a fresh context begins: BX = entry, R12 = arg, R13 = the context, BP =
// 0. It is the bottom frame of the context's stack, and marked as such for the
// unwinder of a CPU profile. When entry returns, R13 is unchanged, as
// C's ABI promises: the context is ended and its link continued. What
// swapRegisters is for holds here as well: only if the link has
// control words are they loaded.
TEXT ·nativeStart(SB), NOSPLIT|NOFRAME|TOPFRAME, $0-0
	MOVQ	R12, DI
	CALL	BX
	MOVQ	NativeContext_link(R13), SI
	MOVQ	$0, NativeContext_pc(R13)
	TESTQ	SI, SI
	JEQ	nolink
	CMPW	NativeContext_fpcw(SI), $0
	JEQ	load
	LDMXCSR	NativeContext_mxcsr(SI)
	FLDCW	NativeContext_fpcw(SI)
load:
	JMP	continue<>(SB)
nolink:
	MOVL	$const_sysWrite, AX
	MOVL	$2, DI                          // stderr
	MOVQ	·nolinkText+0(SB), SI
	MOVQ	·nolinkText+8(SB), DX
	SYSCALL
	INT	$3                              // Go prints a traceback and exits
	JMP	nolink

// continue<> is the second half of a switch. It is no part of nativeStart because
// the unwinder does not walk through a function that writes SP.
TEXT continue<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ	BP, AX                          // abandoned; the read tells vet so
	LOAD

#define ADDRESS(getter, target) \
TEXT getter(SB), NOSPLIT, $0-8; \
	LEAQ	target(SB), AX; \
	MOVQ	AX, ret+0(FP); \
	RET

ADDRESS(·swapContextAddress, ·swapContext)
ADDRESS(·swapRegistersAddress, ·swapRegisters)
ADDRESS(·swapContextGoAddress, ·swapContextGo)
ADDRESS(·swapRegistersGoAddress, ·swapRegistersGo)
ADDRESS(·nativeStartAddress, ·nativeStart)
