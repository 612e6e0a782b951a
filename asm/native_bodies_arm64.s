//go:build linux

#include "go_asm.h"
#include "textflag.h"

// Native code for the tests and for measurements: functions that follow C's
// ABI, with their argument in R0 and RSP at 0 mod 16, always. Each begins with a
// landing pad, since it is called by its address. None uses R28.
//
// They are Go's assembly, so the unwinder of a CPU profile knows their frames: the
// return address lies at 0(RSP), and the assembler counts what RSP is lowered by, if
// that is done by SUB.

#define PUSH(size) \
	MOVD	LR, -size(RSP); \
	SUB	$size, RSP

#define POP(size) \
	MOVD	0(RSP), LR; \
	ADD	$size, RSP

// void bodyReturn(void *)
TEXT ·bodyReturn(SB), NOSPLIT|NOFRAME, $0-0
	BTI	C
	RET

// void bodyCount(uint64_t *counter)
TEXT ·bodyCount(SB), NOSPLIT|NOFRAME, $0-0
	BTI	C
again:
	LDAXR	(R0), R1
	ADD	$1, R1
	STLXR	R1, (R0), R2
	CBNZW	R2, again
	RET

// void bodyPing(PingPong *p)
// R19 = p, R20 = the rounds that are left, R21 = the switch. Never returns, so
// it needs not save what it uses, but for what the unwinder looks for.
TEXT ·bodyPing(SB), NOSPLIT|NOFRAME, $0-0
	BTI	C
	PUSH(16)
	MOVD	R0, R19
	MOVD	PingPong_swap(R19), R21
again:
	MOVD	PingPong_Rounds(R19), R20
round:
	ADD	$PingPong_Ping, R19, R0
	ADD	$PingPong_Pong, R19, R1
	CALL	(R21)
	SUB	$1, R20
	CBNZ	R20, round
	ADD	$PingPong_Ping, R19, R0
	ADD	$PingPong_Home, R19, R1
	CALL	(R21)
	B	again

// void bodyPong(PingPong *p)
TEXT ·bodyPong(SB), NOSPLIT|NOFRAME, $0-0
	BTI	C
	PUSH(16)
	MOVD	R0, R19
	MOVD	PingPong_swap(R19), R21
again:
	ADD	$PingPong_Pong, R19, R0
	ADD	$PingPong_Ping, R19, R1
	CALL	(R21)
	B	again

// void bodyMask(uint64_t *mask)
// Stores the signal mask of the thread that it runs on.
TEXT ·bodyMask(SB), NOSPLIT|NOFRAME, $0-0
	BTI	C
	MOVD	R0, R2
	MOVD	$0, R0                          // SIG_BLOCK
	MOVD	$0, R1                          // nothing
	MOVD	$8, R3
	MOVD	$const_sysRtSigprocmask, R8
	SVC
	RET

// void bodyTLS(uint64_t out[4])
// Stores the thread pointer, the word there, the first one that may be a
// variable, where Go looks for g if C is about, and SP.
TEXT ·bodyTLS(SB), NOSPLIT|NOFRAME, $0-0
	BTI	C
	MRS	TPIDR_EL0, R1
	MOVD	R1, 0(R0)
	MOVD	0(R1), R2
	MOVD	R2, 8(R0)
	MOVD	16(R1), R2
	MOVD	R2, 16(R0)
	MOVD	RSP, R2
	MOVD	R2, 24(R0)
	RET

// void bodyAlignment(uint64_t out[4])
// Stores SP, R29 and FPCR as found at the entry, and uses SP as a base, which
// faults if it is no multiple of 16.
TEXT ·bodyAlignment(SB), NOSPLIT|NOFRAME, $0-0
	BTI	C
	MOVD	RSP, R1
	MOVD	R1, 0(R0)
	MOVD	R29, 8(R0)
	MRS	FPCR, R1
	MOVD	R1, 16(R0)
	MOVD	ZR, -16(RSP)
	RET

// void bodyWait(uint32_t words[2])
// Adds 1 to the first word, and waits by futex until the second is not 0.
TEXT ·bodyWait(SB), NOSPLIT|NOFRAME, $0-0
	BTI	C
count:
	LDAXRW	(R0), R1
	ADD	$1, R1
	STLXRW	R1, (R0), R2
	CBNZW	R2, count
	ADD	$4, R0, R5
again:
	LDARW	(R5), R1
	CBNZW	R1, done
	MOVD	R5, R0
	MOVD	$const_futexWaitPrivate, R1
	MOVD	$0, R2                          // as long as it is 0
	MOVD	$0, R3                          // no timeout
	MOVD	$const_sysFutex, R8
	SVC
	B	again
done:
	RET

// void bodySpin(uint32_t words[2])
// Adds 1 to the first word, and spins until the second is not 0.
TEXT ·bodySpin(SB), NOSPLIT|NOFRAME, $0-0
	BTI	C
count:
	LDAXRW	(R0), R1
	ADD	$1, R1
	STLXRW	R1, (R0), R2
	CBNZW	R2, count
	ADD	$4, R0, R5
again:
	YIELD
	LDARW	(R5), R1
	CBZW	R1, again
	RET

// void bodyWords(wordsBody *b)
// Puts a control word of its own in force, and looks after each switch to home
// whether it still is; counts where it is not.
TEXT ·bodyWords(SB), NOSPLIT|NOFRAME, $0-0
	BTI	C
	PUSH(16)
	MOVD	R19, 8(RSP)
	MOVD	R0, R19
	MOVWU	wordsBody_fpcr(R19), R1
	MSR	R1, FPCR
again:
	ADD	$wordsBody_own, R19, R0
	ADD	$wordsBody_home, R19, R1
	CALL	·swapContext(SB)
	MRS	FPCR, R1
	MOVW	R1, wordsBody_seen(R19)
	MOVWU	wordsBody_fpcr(R19), R2
	CMP	R1, R2
	BNE	wrong
	MOVWU	wordsBody_stop(R19), R2
	CBZW	R2, again
	MOVD	8(RSP), R19
	POP(16)
	RET
wrong:
	MOVWU	wordsBody_wrong(R19), R2
	ADD	$1, R2
	MOVW	R2, wordsBody_wrong(R19)
	B	again

// void bodyRegisters(registersBody *b)
// Fills each register that C's ABI preserves with a value of its own, switches
// from own to home, and counts those that have another value
// when it goes on. Its caller's are on its stack meanwhile, but for those that
// nativeStart has no use for.
#define FILL(reg, n) ADD $n, R9, reg
#define FILLF(reg, n) ADD $n, R9, R10; FMOVD R10, reg
#define CHECK(reg, n) \
	ADD	$n, R9, R10; \
	CMP	R10, reg; \
	BEQ	4(PC); \
	MOVD	registersBody_wrong(R0), R11; \
	ADD	$1, R11; \
	MOVD	R11, registersBody_wrong(R0)
#define CHECKF(reg, n) \
	FMOVD	reg, R12; \
	CHECK(R12, n)
TEXT ·bodyRegisters(SB), NOSPLIT|NOFRAME, $0-0
	BTI	C
	PUSH(48)
	MOVD	R0, 8(RSP)
	MOVD	R19, 16(RSP)
	MOVD	R20, 24(RSP)
	MOVD	R21, 32(RSP)
	MOVD	R29, 40(RSP)
again:
	MOVD	registersBody_seed(R0), R9
	FILL(R19, 1)
	FILL(R20, 2)
	FILL(R21, 3)
	FILL(R22, 4)
	FILL(R23, 5)
	FILL(R24, 6)
	FILL(R25, 7)
	FILL(R26, 8)
	FILLF(F8, 11)
	FILLF(F9, 12)
	FILLF(F10, 13)
	FILLF(F11, 14)
	FILLF(F12, 15)
	FILLF(F13, 16)
	FILLF(F14, 17)
	FILLF(F15, 18)
	ADD	$9, R9, R10
	MOVD	R10, R27
	MOVD	R9, R29
	MOVD	registersBody_swap(R0), R11
	ADD	$registersBody_own, R0, R12
	ADD	$registersBody_home, R0, R1
	MOVD	R12, R0
	CALL	(R11)
	MOVD	R27, R13
	MOVD	8(RSP), R0
	MOVD	registersBody_seed(R0), R9
	CHECK(R19, 1)
	CHECK(R20, 2)
	CHECK(R21, 3)
	CHECK(R22, 4)
	CHECK(R23, 5)
	CHECK(R24, 6)
	CHECK(R25, 7)
	CHECK(R26, 8)
	CHECK(R13, 9)
	CHECK(R29, 0)
	CHECKF(F8, 11)
	CHECKF(F9, 12)
	CHECKF(F10, 13)
	CHECKF(F11, 14)
	CHECKF(F12, 15)
	CHECKF(F13, 16)
	CHECKF(F14, 17)
	CHECKF(F15, 18)
	MOVD	registersBody_stop(R0), R11
	CBZ	R11, again
	MOVD	16(RSP), R19
	MOVD	24(RSP), R20
	MOVD	32(RSP), R21
	MOVD	40(RSP), R29
	POP(48)
	RET

// void bodyDive(void *)
// Calls itself until the stack is used up. By a register, so that the linker
// does not see that this exceeds what it grants functions without a stack check.
TEXT ·bodyDive(SB), NOSPLIT|NOFRAME, $0-0
	BTI	C
	PUSH(16)
	MOVD	$·bodyDive(SB), R9
	CALL	(R9)
	POP(16)
	RET

#define ADDRESS(getter, target) \
TEXT getter(SB), NOSPLIT, $0-8; \
	MOVD	$target(SB), R0; \
	MOVD	R0, ret+0(FP); \
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
