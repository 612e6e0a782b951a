//go:build linux

#include "go_asm.h"
#include "textflag.h"

// Kernel threads that nobody but us knows.
//
// A new thread's stack, addresses growing upwards:
//
//	hi ─────────────► ┌──────────────────────────┐ 16-aligned
//	                  │ zeros                    │ 256 bytes; C code finds its stack
//	                  │                          │ protector's value at 40(FS)
//	                  │ its own address          │
//	FS = tp ────────► ├──────────────────────────┤ the thread pointer
//	                  │ zeros                    │ 256 bytes, thread-local variables:
//	                  │                          │ Go's g is at -8(FS), and nil
//	sp ─────────────► ├──────────────────────────┤ 16-aligned
//	                  │ return into clone        │
//	SP at entry ────► ├──────────────────────────┤ 8 mod 16
//	                  │ frames of entry ...      │
//	lo ─────────────► └──────────────────────────┘

// func clone(word *uint32, sp, tp, entry, arg uintptr) int
// Makes a thread that calls entry(arg) on the stack that ends at sp, with tp as
// its thread pointer. Returns its number, which is in *word too, or a negative
// errno.
//
// All in one assembly function, for three reasons. The signals of this kernel thread
// are blocked while it clones, as a new thread inherits the mask and must never run
// unblocked: a handler of Go's would find no g there. They must be unblocked again
// by the same kernel thread, so Go must not move the goroutine in between:
// it does not preempt assembly. And the new thread returns from the same
// system call to the same place as the old one, but with a stack on which there
// is no frame: after the branch it lives on registers alone, which the kernel has
// copied.
TEXT ·clone(SB), NOSPLIT, $16-48
	MOVQ	$-1, AX
	MOVQ	AX, full-16(SP)                 // every signal there is
	MOVL	$2, DI                          // SIG_SETMASK
	LEAQ	full-16(SP), SI
	LEAQ	saved-8(SP), DX
	MOVL	$8, R10                         // bytes in a mask
	MOVL	$const_sysRtSigprocmask, AX
	SYSCALL
	TESTQ	AX, AX
	JNE	failed                          // nothing has changed

	MOVQ	entry+24(FP), R12               // for the new thread
	MOVQ	arg+32(FP), R13
	MOVL	$const_cloneFlags, DI
	MOVQ	sp+8(FP), SI
	MOVQ	word+0(FP), DX                  // set before either side returns ...
	MOVQ	DX, R10                         // ... and cleared when the new one ends
	MOVQ	tp+16(FP), R8
	MOVL	$const_sysClone, AX
	SYSCALL
	TESTQ	AX, AX
	JEQ	child

	MOVQ	AX, R12
	MOVL	$2, DI                          // SIG_SETMASK
	LEAQ	saved-8(SP), SI
	XORL	DX, DX
	MOVL	$8, R10
	MOVL	$const_sysRtSigprocmask, AX
	SYSCALL
	MOVQ	R12, AX
failed:
	MOVQ	AX, ret+40(FP)
	RET

child:
	LDMXCSR	·freshMXCSR(SB)                 // the kernel copies these from the parent
	FLDCW	·freshFPCW(SB)
	XORL	BP, BP
	MOVQ	R13, DI
	CALL	R12
	XORL	DI, DI
	MOVL	$const_sysExit, AX              // of this thread, not of the process
	SYSCALL
	INT	$3                              // it does not return
