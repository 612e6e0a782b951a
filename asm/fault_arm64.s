//go:build linux

#include "go_asm.h"
#include "textflag.h"

// func sigfront(sig, info, frame)
// The signal handler itself, called by the kernel by C's rules: R0 = signal, R1
// = siginfo, R2 = frame. Lets onFault look, then continues as Go's handler, as
// if the kernel had called that. On a thread that is not Go's (g is nil)
// Go's handler is called at once.
//
// Go's g is in R28, as it was when the signal came, with two exceptions. With
// runtime/cgo it may be C that was interrupted: Go's own function loads it from
// thread-local storage. Without, it may be the kernel's vDSO, which Go calls on its
// system stack: nothing that we look for happens there, so Go's handler is called.
//
// onFault is a Go function: arguments in R0 to R3, handlerG in R28; it may spill its
// arguments into the 32 bytes above the word at RSP, and keeps R29 below RSP.
TEXT ·sigfront(SB), NOSPLIT|NOFRAME, $0-0
	BTI	C
	MOVD	const_ucontextPC(R2), R3
	MOVD	·vdsoLow(SB), R4
	CMP	R4, R3
	BLO	start
	MOVD	·vdsoHigh(SB), R4
	CMP	R4, R3
	BLO	forward
start:
	SUB	$224, RSP
	MOVD	LR, 0(RSP)
	MOVD	R0, 48(RSP)
	MOVD	R1, 56(RSP)
	MOVD	R2, 64(RSP)
	STP	(R19, R20), 72(RSP)
	STP	(R21, R22), 88(RSP)
	STP	(R23, R24), 104(RSP)
	STP	(R25, R26), 120(RSP)
	STP	(R27, g), 136(RSP)
	MOVD	R29, 152(RSP)
	FSTPD	(F8, F9), 160(RSP)
	FSTPD	(F10, F11), 176(RSP)
	FSTPD	(F12, F13), 192(RSP)
	FSTPD	(F14, F15), 208(RSP)
	MOVD	·loadG(SB), R9
	CBZ	R9, loaded
	CALL	(R9)                            // clobbers R0 and R27
loaded:
	MOVD	$0, R0
	CBZ	g, restore
	MOVD	48(RSP), R0
	MOVD	56(RSP), R1
	MOVD	64(RSP), R2
	MOVD	g, R3
	MOVD	$·handlerG(SB), g
	MOVD	·onFaultFn(SB), R26
	MOVD	(R26), R11
	CALL	(R11)
	AND	$1, R0, R0                      // R0 = handled
restore:
	MOVD	R0, R9
	MOVD	0(RSP), LR
	MOVD	48(RSP), R0
	MOVD	56(RSP), R1
	MOVD	64(RSP), R2
	LDP	72(RSP), (R19, R20)
	LDP	88(RSP), (R21, R22)
	LDP	104(RSP), (R23, R24)
	LDP	120(RSP), (R25, R26)
	LDP	136(RSP), (R27, g)
	MOVD	152(RSP), R29
	FLDPD	160(RSP), (F8, F9)
	FLDPD	176(RSP), (F10, F11)
	FLDPD	192(RSP), (F12, F13)
	FLDPD	208(RSP), (F14, F15)
	ADD	$224, RSP
	CBZ	R9, forward
	RET
forward:
	MOVD	$·goHandlers(SB), R9
	MOVD	(R9)(R0<<3), R9
	JMP	(R9)

// func syscall3(nr, a, b, c uintptr) uintptr
// Arguments in R0 to R3, the result in R0; see install.go.
TEXT syscall3<>(SB), NOSPLIT|NOFRAME, $0-0
	BTI	C
	MOVD	R0, R8
	MOVD	R1, R0
	MOVD	R2, R1
	MOVD	R3, R2
	SVC
	RET

// func syscall3Address() uintptr
TEXT ·syscall3Address(SB), NOSPLIT, $0-8
	MOVD	$syscall3<>(SB), R0
	MOVD	R0, ret+0(FP)
	RET

// func sigfrontAddress() uintptr
TEXT ·sigfrontAddress(SB), NOSPLIT, $0-8
	MOVD	$·sigfront(SB), R0
	MOVD	R0, ret+0(FP)
	RET

// func swapOwner(p *uintptr, old, new uintptr) bool
// A compare-and-swap, which package sync/atomic has too, but not for a signal handler
// under the race detector.
TEXT ·swapOwner(SB), NOSPLIT, $0-25
	MOVD	p+0(FP), R0
	MOVD	old+8(FP), R1
	MOVD	new+16(FP), R2
again:
	LDAXR	(R0), R3
	CMP	R1, R3
	BNE	done
	STLXR	R2, (R0), R4
	CBNZW	R4, again
done:
	CSET	EQ, R0
	MOVB	R0, ret+24(FP)
	RET

// func flushCode(from, to uintptr)
// Makes instructions that were written into memory the ones that will run. It steps
// by the smallest line that a cache may have.
TEXT ·flushCode(SB), NOSPLIT, $0-16
	MOVD	from+0(FP), R0
	MOVD	to+8(FP), R1
	BIC	$15, R0, R2
clean:
	DC	CVAU, R2
	ADD	$16, R2
	CMP	R1, R2
	BLO	clean
	DSB	$11                             // inner shareable
	BIC	$15, R0, R2
invalidate:
	WORD	$0xD50B7522                   // IC IVAU, R2: the assembler has no name for it
	ADD	$16, R2
	CMP	R1, R2
	BLO	invalidate
	DSB	$11
	ISB	$15
	RET
