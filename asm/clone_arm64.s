//go:build linux

#include "go_asm.h"
#include "textflag.h"

// Kernel threads that nobody but us knows.
//
// A new thread's stack, addresses growing upwards:
//
//	hi ─────────────► ┌──────────────────────────┐ 16-aligned
//	                  │ zeros                    │ 256 bytes: two words of the C library's,
//	                  │                          │ then thread-local variables
//	TPIDR_EL0 = tp ─► ├──────────────────────────┤ the thread pointer
//	                  │ zeros                    │ 256 bytes
//	sp ─────────────► ├──────────────────────────┤ 16-aligned; SP at entry
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
	MOVD	$-1, R0
	MOVD	R0, full-16(SP)                 // every signal there is
	MOVD	$2, R0                          // SIG_SETMASK
	MOVD	$full-16(SP), R1
	MOVD	$saved-8(SP), R2
	MOVD	$8, R3                          // bytes in a mask
	MOVD	$const_sysRtSigprocmask, R8
	SVC
	CBNZ	R0, failed                      // nothing has changed

	MOVD	entry+24(FP), R19               // for the new thread
	MOVD	arg+32(FP), R20
	MOVD	$const_cloneFlags, R0
	MOVD	sp+8(FP), R1
	MOVD	word+0(FP), R2                  // set before either side returns ...
	MOVD	tp+16(FP), R3
	MOVD	R2, R4                          // ... and cleared when the new one ends
	MOVD	$const_sysClone, R8
	SVC
	CBZ	R0, child

	MOVD	R0, R19
	MOVD	$2, R0                          // SIG_SETMASK
	MOVD	$saved-8(SP), R1
	MOVD	$0, R2
	MOVD	$8, R3
	MOVD	$const_sysRtSigprocmask, R8
	SVC
	MOVD	R19, R0
failed:
	MOVD	R0, ret+40(FP)
	RET

child:
	MSR	ZR, FPCR                        // the kernel copies this from the parent
	MOVD	$0, R29
	MOVD	$0, g
	MOVD	R20, R0
	CALL	(R19)
	MOVD	$0, R0
	MOVD	$const_sysExit, R8              // of this thread, not of the process
	SVC
	BRK                                     // it does not return
