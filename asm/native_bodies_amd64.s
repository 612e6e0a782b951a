//go:build linux

#include "go_asm.h"
#include "textflag.h"

// Native code for the tests and for measurements: functions that follow C's
// ABI, with their argument in DI and SP at 8 mod 16 at their first instruction.
//
// They are Go's assembly, so the unwinder of a CPU profile knows their frames; each
// PUSHQ is counted by the assembler.

// void bodyReturn(void *)
TEXT ·bodyReturn(SB), NOSPLIT|NOFRAME, $0-0
	RET

// void bodyCount(uint64_t *counter)
TEXT ·bodyCount(SB), NOSPLIT|NOFRAME, $0-0
	LOCK
	INCQ	(DI)
	RET

// void bodyPing(PingPong *p)
// BX = p, R12 = the rounds that are left, R13 = the switch. Never returns, so
// it needs not save what it uses.
TEXT ·bodyPing(SB), NOSPLIT|NOFRAME, $0-0
	PUSHQ	BP                              // SP is 16-aligned before each CALL
	MOVQ	DI, BX
	MOVQ	PingPong_swap(BX), R13
again:
	MOVQ	PingPong_Rounds(BX), R12
round:
	LEAQ	PingPong_Ping(BX), DI
	LEAQ	PingPong_Pong(BX), SI
	CALL	R13
	DECQ	R12
	JNE	round
	LEAQ	PingPong_Ping(BX), DI
	LEAQ	PingPong_Home(BX), SI
	CALL	R13
	JMP	again

// void bodyPong(PingPong *p)
TEXT ·bodyPong(SB), NOSPLIT|NOFRAME, $0-0
	PUSHQ	BP
	MOVQ	DI, BX
	MOVQ	PingPong_swap(BX), R13
again:
	LEAQ	PingPong_Pong(BX), DI
	LEAQ	PingPong_Ping(BX), SI
	CALL	R13
	JMP	again

// void bodyMask(uint64_t *mask)
// Stores the signal mask of the thread that it runs on.
TEXT ·bodyMask(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ	DI, DX
	XORL	DI, DI                          // SIG_BLOCK
	XORL	SI, SI                          // nothing
	MOVL	$8, R10
	MOVL	$const_sysRtSigprocmask, AX
	SYSCALL
	RET

// void bodyTLS(uint64_t out[4])
// Stores the word at the thread pointer, the one below it, where Go looks for
// g, the one that a stack protector reads, and SP.
TEXT ·bodyTLS(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ	0(FS), AX
	MOVQ	AX, 0(DI)
	MOVQ	-8(FS), AX
	MOVQ	AX, 8(DI)
	MOVQ	0x28(FS), AX
	MOVQ	AX, 16(DI)
	MOVQ	SP, 24(DI)
	RET

// void bodyAlignment(uint64_t out[4])
// Stores SP, BP, MXCSR and the x87 control word as found at the entry, and
// writes below SP as compilers do for locals: with MOVAPS, which faults if
// the address is no multiple of 16.
TEXT ·bodyAlignment(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ	SP, 0(DI)
	MOVQ	BP, 8(DI)
	STMXCSR	16(DI)
	FSTCW	24(DI)
	XORPS	X0, X0
	MOVAPS	X0, -24(SP)
	RET

// void bodyWait(uint32_t words[2])
// Adds 1 to the first word, and waits by futex until the second is not 0.
TEXT ·bodyWait(SB), NOSPLIT|NOFRAME, $0-0
	LOCK
	INCL	(DI)
	ADDQ	$4, DI
again:
	CMPL	(DI), $0
	JNE	done
	MOVL	$const_futexWaitPrivate, SI
	XORL	DX, DX                          // as long as it is 0
	XORL	R10, R10                        // no timeout
	MOVL	$const_sysFutex, AX
	SYSCALL                                 // preserves DI
	JMP	again
done:
	RET

// void bodySpin(uint32_t words[2])
// Adds 1 to the first word, and spins until the second is not 0.
TEXT ·bodySpin(SB), NOSPLIT|NOFRAME, $0-0
	LOCK
	INCL	(DI)
again:
	PAUSE
	CMPL	4(DI), $0
	JEQ	again
	RET

// void bodyWords(wordsBody *b)
// Puts control words of its own in force, and looks after each switch to home
// whether they still are; counts where they are not.
TEXT ·bodyWords(SB), NOSPLIT|NOFRAME, $0-0
	PUSHQ	BX
	MOVQ	DI, BX
	LDMXCSR	wordsBody_mxcsr(BX)
	FLDCW	wordsBody_fpcw(BX)
again:
	LEAQ	wordsBody_own(BX), DI
	LEAQ	wordsBody_home(BX), SI
	CALL	·swapContext(SB)
	STMXCSR	wordsBody_seenMxcsr(BX)
	FSTCW	wordsBody_seenFpcw(BX)
	MOVL	wordsBody_seenMxcsr(BX), AX
	CMPL	AX, wordsBody_mxcsr(BX)
	JNE	wrong
	MOVWLZX	wordsBody_seenFpcw(BX), AX
	CMPL	AX, wordsBody_fpcw(BX)
	JNE	wrong
	CMPL	wordsBody_stop(BX), $0
	JEQ	again
	POPQ	BX
	RET
wrong:
	INCL	wordsBody_wrong(BX)
	JMP	again

// void bodyRegisters(registersBody *b)
// Fills each register that C's ABI preserves with a value of its own, switches
// from own to home, and counts those that have another value
// when it goes on. Its caller's are on its stack meanwhile.
#define FILL(reg, n) MOVQ registersBody_seed(AX), reg; ADDQ $n, reg
#define CHECK(reg, n) \
	MOVQ	registersBody_seed(AX), CX; \
	ADDQ	$n, CX; \
	CMPQ	CX, reg; \
	JEQ	2(PC); \
	INCQ	registersBody_wrong(AX)
TEXT ·bodyRegisters(SB), NOSPLIT|NOFRAME, $0-0
	PUSHQ	BX
	PUSHQ	BP
	PUSHQ	R12
	PUSHQ	R13
	PUSHQ	R14
	PUSHQ	R15
	PUSHQ	DI
	MOVQ	DI, AX
again:
	FILL(BX, 1)
	FILL(BP, 2)
	FILL(R12, 3)
	FILL(R13, 4)
	FILL(R14, 5)
	FILL(R15, 6)
	LEAQ	registersBody_own(AX), DI
	LEAQ	registersBody_home(AX), SI
	MOVQ	registersBody_swap(AX), AX
	CALL	AX
	MOVQ	0(SP), AX
	CHECK(BX, 1)
	CHECK(BP, 2)
	CHECK(R12, 3)
	CHECK(R13, 4)
	CHECK(R14, 5)
	CHECK(R15, 6)
	CMPQ	registersBody_stop(AX), $0
	JEQ	again
	POPQ	DI
	POPQ	R15
	POPQ	R14
	POPQ	R13
	POPQ	R12
	POPQ	BP
	POPQ	BX
	RET

// void bodyDive(void *)
// Calls itself until the stack is used up. By a register, so that the linker
// does not see that this exceeds what it grants functions without a stack check.
TEXT ·bodyDive(SB), NOSPLIT|NOFRAME, $0-0
	LEAQ	·bodyDive(SB), AX
	CALL	AX
	RET

#define ADDRESS(getter, target) \
TEXT getter(SB), NOSPLIT, $0-8; \
	LEAQ	target(SB), AX; \
	MOVQ	AX, ret+0(FP); \
	RET

ADDRESS(·bodyReturnAddress, ·bodyReturn)
ADDRESS(·bodyCountAddress, ·bodyCount)
ADDRESS(·bodyPingAddress, ·bodyPing)
ADDRESS(·bodyPongAddress, ·bodyPong)
ADDRESS(·bodyMaskAddress, ·bodyMask)
ADDRESS(·bodyTLSAddress, ·bodyTLS)
ADDRESS(·bodyAlignmentAddress, ·bodyAlignment)
ADDRESS(·bodyWaitAddress, ·bodyWait)
ADDRESS(·bodySpinAddress, ·bodySpin)
ADDRESS(·bodyWordsAddress, ·bodyWords)
ADDRESS(·bodyRegistersAddress, ·bodyRegisters)
ADDRESS(·bodyDiveAddress, ·bodyDive)
