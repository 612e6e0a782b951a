//go:build linux

#include "go_asm.h"
#include "textflag.h"

// Switching between native contexts: code that follows C's ABI (AAPCS64), on
// stacks of its own.
//
// A fresh context's stack, addresses growing upwards:
//
//	hi ─────────────► ┌──────────────────────────┐ 16-aligned
//	                  │ 16 bytes of slack        │
//	sp = hi-16 ─────► ├──────────────────────────┤ 16-aligned, as always; SP at entry
//	                  │ frames of entry ...      │
//	sp when saved ──► │                          │
//	                  ┊                          ┊
//	lo ─────────────► └──────────────────────────┘
//	                  ┊ guard, if there is one   ┊
//
// C's ABI wants of a function that it preserves X19 to X29, SP, the lower halves
// of V8 to V15 and the control bits of FPCR, and that it leaves X18 alone. All else
// is the caller's, so a switch that its caller sees as an ordinary call keeps just
// these.
//
// X28 is Go's g, and without runtime/cgo it is there that signal handlers look for
// it, whatever runs on the kernel thread. So it belongs to the kernel thread then, not
// to the context, and the switch leaves it alone. With runtime/cgo, handlers look
// in thread-local storage, and X28 is a register as any other.
//
// The saved address is plain: whoever signs return addresses signs the one on its
// own stack, and checks it there. The switch ends in a RET to it, which needs no
// landing pad where code is mapped for branch target identification, as a BR would; what
// native code calls by its address begins with one.
//
// A signal may arrive at any instruction: nothing below SP is needed, and its
// handler runs on the signal stack. The unwinder stops at these functions, as at any
// that write SP.

// SAVE stores in context R0 where the caller goes on.
#define SAVE \
	MOVD	RSP, R9; \
	MOVD	R9, NativeContext_sp(R0); \
	MOVD	LR, NativeContext_pc(R0); \
	MOVD	R19, NativeContext_x19(R0); \
	MOVD	R20, NativeContext_x20(R0); \
	MOVD	R21, NativeContext_x21(R0); \
	MOVD	R22, NativeContext_x22(R0); \
	MOVD	R23, NativeContext_x23(R0); \
	MOVD	R24, NativeContext_x24(R0); \
	MOVD	R25, NativeContext_x25(R0); \
	MOVD	R26, NativeContext_x26(R0); \
	MOVD	R27, NativeContext_x27(R0); \
	MOVD	g, NativeContext_x28(R0); \
	MOVD	R29, NativeContext_x29(R0); \
	FMOVD	F8, NativeContext_d8(R0); \
	FMOVD	F9, NativeContext_d9(R0); \
	FMOVD	F10, NativeContext_d10(R0); \
	FMOVD	F11, NativeContext_d11(R0); \
	FMOVD	F12, NativeContext_d12(R0); \
	FMOVD	F13, NativeContext_d13(R0); \
	FMOVD	F14, NativeContext_d14(R0); \
	FMOVD	F15, NativeContext_d15(R0)

// LOAD continues context R1. Only X28 is a matter of circumstances.
#define LOAD(keep) \
	MOVD	NativeContext_sp(R1), R9; \
	MOVD	R9, RSP; \
	MOVD	NativeContext_pc(R1), LR; \
	MOVBU	·cgoLinked(SB), R9; \
	CBZ	R9, keep; \
	MOVD	NativeContext_x28(R1), g; \
keep: \
	MOVD	NativeContext_x19(R1), R19; \
	MOVD	NativeContext_x20(R1), R20; \
	MOVD	NativeContext_x21(R1), R21; \
	MOVD	NativeContext_x22(R1), R22; \
	MOVD	NativeContext_x23(R1), R23; \
	MOVD	NativeContext_x24(R1), R24; \
	MOVD	NativeContext_x25(R1), R25; \
	MOVD	NativeContext_x26(R1), R26; \
	MOVD	NativeContext_x27(R1), R27; \
	MOVD	NativeContext_x29(R1), R29; \
	FMOVD	NativeContext_d8(R1), F8; \
	FMOVD	NativeContext_d9(R1), F9; \
	FMOVD	NativeContext_d10(R1), F10; \
	FMOVD	NativeContext_d11(R1), F11; \
	FMOVD	NativeContext_d12(R1), F12; \
	FMOVD	NativeContext_d13(R1), F13; \
	FMOVD	NativeContext_d14(R1), F14; \
	FMOVD	NativeContext_d15(R1), F15; \
	RET

// LOAD_WORDS puts the control word of context R1 in force, if it has one and it
// differs from R10, the one that is in force: a write to FPCR is dear. Clobbers R11.
#define LOAD_WORDS(load) \
	MOVWU	NativeContext_words(R1), R11; \
	CBZW	R11, load; \
	MOVWU	NativeContext_fpcr(R1), R11; \
	CMP	R10, R11; \
	BEQ	load; \
	MSR	R11, FPCR; \
load:

// void swapContext(NativeContext *from, NativeContext *to)
// R0 = from, R1 = to. Saves the caller in from and continues to, with its
// floating-point control word.
TEXT ·swapContext(SB), NOSPLIT|NOFRAME, $0-0
	BTI	C
	MRS	FPCR, R10
	MOVD	$1, R11
	MOVW	R10, NativeContext_fpcr(R0)
	MOVW	R11, NativeContext_words(R0)
	SAVE
	LOAD_WORDS(load)
	LOAD(keep)

// void swapRegisters(NativeContext *from, NativeContext *to)
// R0 = from, R1 = to. The same without the control word; marks from as one
// that has none.
TEXT ·swapRegisters(SB), NOSPLIT|NOFRAME, $0-0
	BTI	C
	SAVE
	MOVW	ZR, NativeContext_words(R0)
	LOAD(keep)

// func swapContextGo(from, to *NativeContext)
// func swapRegistersGo(from, to *NativeContext)
// R0 = from, R1 = to, as Go's register ABI has it: the two above for Go, which
// preserves no register but RSP, R28 and R29 over a call. They look whether to can be
// continued, so that the Go function that calls them is small enough to be
// inlined.
TEXT ·swapContextGo(SB), NOSPLIT|NOFRAME, $0-0
	MOVD	NativeContext_pc(R1), R9
	CBZ	R9, unready
	B	·swapContext(SB)
unready:
	B	notready<>(SB)

TEXT ·swapRegistersGo(SB), NOSPLIT|NOFRAME, $0-0
	MOVD	NativeContext_pc(R1), R9
	CBZ	R9, unready
	B	·swapRegisters(SB)
unready:
	B	notready<>(SB)

// notready<> goes on as the Go function that panics, as if that had been called.
TEXT notready<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVD	R1, R0
	MOVD	·panicNotReadyFn(SB), R26       // closure register
	MOVD	(R26), R9
	JMP	(R9)

// func nativeStart()
// Where a fresh context begins: R19 = entry, R20 = arg, R21 = the context, R29 =
// 0. It is the bottom frame of the context's stack, and marked as such for the
// unwinder of a CPU profile. When entry returns, R21 is unchanged, as
// C's ABI promises: the context is ended and its link continued. What
// swapRegisters is for holds here as well: only if the link has
// a control word is it loaded.
TEXT ·nativeStart(SB), NOSPLIT|NOFRAME|TOPFRAME, $0-0
	MOVD	R20, R0
	CALL	(R19)
	MOVD	NativeContext_link(R21), R1
	MOVD	ZR, NativeContext_pc(R21)
	CBZ	R1, nolink
	MRS	FPCR, R10
	LOAD_WORDS(load)
	B	continue<>(SB)
nolink:
	MOVD	$const_sysWrite, R8
	MOVD	$2, R0                          // stderr
	MOVD	·nolinkText+0(SB), R1
	MOVD	·nolinkText+8(SB), R2
	SVC
	BRK                                     // Go prints a traceback and exits
	B	nolink

// continue<> is the second half of a switch. It is no part of nativeStart because
// the unwinder does not walk through a function that writes SP.
TEXT continue<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVD	R29, R9                         // abandoned; the read tells vet so
	LOAD(keep)

#define ADDRESS(getter, target) \
TEXT getter(SB), NOSPLIT, $0-8; \
	MOVD	$target(SB), R0; \
	MOVD	R0, ret+0(FP); \
	RET

ADDRESS(·swapContextAddress, ·swapContext)
ADDRESS(·swapRegistersAddress, ·swapRegisters)
ADDRESS(·swapContextGoAddress, ·swapContextGo)
ADDRESS(·swapRegistersGoAddress, ·swapRegistersGo)
ADDRESS(·nativeStartAddress, ·nativeStart)
