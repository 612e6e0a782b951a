//go:build linux

#include "go_asm.h"
#include "textflag.h"

#define get_tls(r) MOVQ TLS, r
#define g(r) 0(r)(TLS*1)

// func sigfront(sig, info, frame)
// The signal handler itself, called by the kernel by C's rules: DI = signal, SI
// = siginfo, DX = frame. Lets onFault look, then continues as Go's handler, as
// if the kernel had called that. On a thread that is not Go's (TLS g is nil)
// Go's handler is called at once.
//
// onFault is a Go function: arguments in AX, BX, CX, DI; handlerG in R14; X15
// zero; it may spill its arguments into the 32 bytes above its return address.
TEXT ·sigfront(SB), NOSPLIT|NOFRAME, $0-0
	get_tls(R8)
	MOVQ	g(R8), R8
	TESTQ	R8, R8
	JEQ	forward
	ADJSP	$120
	MOVQ	DI, 40(SP)
	MOVQ	SI, 48(SP)
	MOVQ	DX, 56(SP)
	MOVQ	BX, 64(SP)
	MOVQ	BP, 72(SP)
	MOVQ	R12, 80(SP)
	MOVQ	R13, 88(SP)
	MOVQ	R14, 96(SP)
	MOVQ	R15, 104(SP)
	MOVQ	DI, AX
	MOVQ	SI, BX
	MOVQ	DX, CX
	MOVQ	R8, DI
	LEAQ	·handlerG(SB), R14
	XORPS	X15, X15
	MOVQ	·onFaultFn(SB), DX
	MOVQ	(DX), R11
	CALL	R11
	MOVBLZX	AX, R9                          // R9 = handled
	MOVQ	40(SP), DI
	MOVQ	48(SP), SI
	MOVQ	56(SP), DX
	MOVQ	64(SP), BX
	MOVQ	72(SP), BP
	MOVQ	80(SP), R12
	MOVQ	88(SP), R13
	MOVQ	96(SP), R14
	MOVQ	104(SP), R15
	ADJSP	$-120
	TESTL	R9, R9
	JEQ	forward
	RET
forward:
	LEAQ	·goHandlers(SB), R8
	MOVQ	(R8)(DI*8), R8
	JMP	R8

// func syscall3(nr, a, b, c uintptr) uintptr
// Arguments in AX, BX, CX and DI, the result in AX; see install.go.
TEXT syscall3<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ	DI, DX
	MOVQ	CX, SI
	MOVQ	BX, DI
	SYSCALL
	RET

// func syscall3Address() uintptr
TEXT ·syscall3Address(SB), NOSPLIT, $0-8
	LEAQ	syscall3<>(SB), AX
	MOVQ	AX, ret+0(FP)
	RET

// func sigfrontAddress() uintptr
TEXT ·sigfrontAddress(SB), NOSPLIT, $0-8
	LEAQ	·sigfront(SB), AX
	MOVQ	AX, ret+0(FP)
	RET
