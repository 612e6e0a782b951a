//go:build linux && amd64

package asm

import (
	"fmt"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A NativeContext is where native code (C, or assembly that follows C's ABI)
// stands while something else runs: the registers that C's ABI preserves. The
// zero value is one to be saved into: it stands for whoever calls SwapContext.
//
//	        MakeContext              SwapContext(_, c)
//	zero ──────────────────► ready ──────────────────────► running
//	  │                        ▲                           │  │
//	  │  SwapContext(c, _)     │     SwapContext(c, _)     │  │ entry returns
//	  └────────────────────────┴───────────────────────────┘  ▼
//	                           ▲                            ended: the link goes on
//	                           └────────── MakeContext ───────┘
//
// Who runs native code from a goroutine should know:
//
//   - Nothing of Go is there. Native code has the kernel thread, and the stack it
//     was given, to itself: no Go function may be called from it, and Go cannot
//     preempt it. A collection, or whoever else stops the world, waits until it
//     swaps back. It is for code that runs for microseconds or swaps often.
//   - A goroutine's own context must be continued by native code that this
//     goroutine has swapped to, before the goroutine does anything else: the
//     stack of one goroutine must never run in the name of another.
//     The contexts of native code may be continued from anywhere in turn,
//     also from other goroutines and kernel threads.
//   - The context must not move and must stay reachable for the collector as
//     long as anybody may switch to it, since the collector does not look into
//     native stacks. SwapContext and MakeContext see to it that it is on the heap.
//   - Signals are no problem: Go's handlers run on a stack of their own, and the
//     switch keeps nothing below SP.
//   - A fault in native code ends the program: there is nobody on the native stack who
//     could recover. That includes running over the end of the stack into its
//     guard; without a guard nothing stops it.
//
// A switch costs no allocation, no system call and no locked instruction. One way between
// native code, on a Zen 5: 4.1 ns with the floating-point control words, 2.9 without;
// Boost.Context took 4.5 there, with them. From Go to native code and back it is 4.5 a way.
type NativeContext struct {
	// What the switch saves and loads.
	sp, pc   uintptr
	bp, bx   uintptr
	r12, r13 uintptr
	r14, r15 uintptr
	mxcsr    uint32 // valid if fpcw is not 0
	fpcw     uint32 // x87 control word; never 0 when saved, see native_amd64.s
	link     *NativeContext
	self     *NativeContext // moves the context to the heap
	stackLo  uintptr
	stackHi  uintptr
}

// Control words of a fresh context, as C's ABI has them at program start: all
// exceptions masked, rounding to nearest, x87 with 64 bits of precision.
const (
	defaultMXCSR = 0x1F80
	defaultFPCW  = 0x037F
)

// The same in memory, for the instructions that load them.
var (
	freshMXCSR uint32 = defaultMXCSR
	freshFPCW  uint32 = defaultFPCW
)

// MakeContext makes c a context that begins at entry, the address of code that
// follows C's ABI, with arg as its first argument, on the given stack, when
// somebody first switches to it. At the entry's first instruction SP is 8 mod
// 16, the frame pointer is 0 and the floating-point control words are the
// ABI's defaults (SwapRegisters leaves those as they are).
//
// When entry returns, c has ended and link goes on, as if c had
// switched to it; with a nil link the program ends with a message and SIGTRAP. A
// context that has ended may be made again. The stack is not touched before the
// first switch.
//
// What arg points to must stay reachable and in place like c. A local variable of
// Go's does not: a goroutine's stack moves when it grows.
//
// The error wraps ErrStackMemory, ErrEntry, or ErrShadowStack: with a shadow
// stack the processor would refuse the switch.
func MakeContext(c *NativeContext, stack StackMemory, entry, arg uintptr, link *NativeContext) error {
	if err := stack.check("native context", entry, MinContextStack); err != nil {
		return err
	}
	if err := shadowStacks(); err != nil {
		return fmt.Errorf("asm: native context: %w", err)
	}
	*c = NativeContext{
		sp:      stack.Hi - 16,
		pc:      nativeStartAddress(),
		bx:      entry,
		r12:     arg,
		r13:     uintptr(unsafe.Pointer(c)),
		mxcsr:   defaultMXCSR,
		fpcw:    defaultFPCW,
		link:    link,
		self:    c,
		stackLo: stack.Lo,
		stackHi: stack.Hi,
	}
	return nil
}

// SwapContext saves the caller in from and continues to. It returns when
// somebody continues from. Each context keeps its own MXCSR and x87 control
// word. It panics when to was never made or saved, or has ended.
func SwapContext(from, to *NativeContext) {
	swapContextFn(from, to)
}

// SwapRegisters is SwapContext without the floating-point control words: what
// is in force stays in force. A context that was left by it is continued,
// also by SwapContext, with the words of whoever continues it.
func SwapRegisters(from, to *NativeContext) {
	swapRegistersFn(from, to)
}

// panicNotReadyFn is what the switch continues as when to has no place to
// continue at.
var panicNotReadyFn = panicNotReady

func panicNotReady(c *NativeContext) {
	if c.self == nil {
		panic("asm: switch to a native context that was never made")
	}
	panic(fmt.Sprintf("asm: switch to the native context on stack %v, which has ended", c.Stack()))
}

// Stack returns the stack that the context was made with.
func (c *NativeContext) Stack() StackMemory { return StackMemory{c.stackLo, c.stackHi} }

// Ended reports whether the entry of the context has returned.
func (c *NativeContext) Ended() bool { return c.pc == 0 && c.self != nil }

// SwapContextAddress returns the address of SwapContext for native code: from
// in RDI, to in RSI, by C's ABI. Here nothing checks that to is ready; if it is
// not, the program crashes at address 0.
func SwapContextAddress() uintptr { return swapContextAddress() }

// SwapRegistersAddress returns the address of SwapRegisters for native code.
func SwapRegistersAddress() uintptr { return swapRegistersAddress() }

// The assembly of native_amd64.s. The first two are C functions, the next two
// take their arguments in registers as compiled Go functions do, and are called through
// the func values below.

func swapContext()
func swapRegisters()
func swapContextGo()
func swapRegistersGo()
func nativeStart()

func swapContextAddress() uintptr
func swapRegistersAddress() uintptr
func swapContextGoAddress() uintptr
func swapRegistersGoAddress() uintptr
func nativeStartAddress() uintptr

var nativeCode = [...]uintptr{swapContextGoAddress(), swapRegistersGoAddress()}

var (
	swapContextFn   = funcOf[func(from, to *NativeContext)](&nativeCode[0])
	swapRegistersFn = funcOf[func(from, to *NativeContext)](&nativeCode[1])
)

// nolinkText is what a program ends with when a context without a link ends.
var nolinkText = "greenthread: the entry of a native context returned, and the context has no link to go on with\n"

// shadowStacks says why there can be no switch by JMP in this process: nil if
// there can. The kernel is asked once, since every thread gets what the first one has.
var shadowStacks = sync.OnceValue(func() error { return checkShadowStacks(readShadowStacks) })

const (
	archShstkStatus = 0x5005 // arch_prctl(ARCH_SHSTK_STATUS, &features)
	archShstkShstk  = 1      // the feature bit: shadow stacks are on
)

// checkShadowStacks refuses when the kernel says that shadow stacks are on. A
// kernel that cannot say (before Linux 6.6, or a sandbox) has none.
func checkShadowStacks(status func() (uint64, error)) error {
	features, err := status()
	if err == nil && features&archShstkShstk != 0 {
		return fmt.Errorf("%w (ARCH_SHSTK_STATUS says %#x) and would end the program at the first switch; "+
			"start it without them, as with GLIBC_TUNABLES=glibc.cpu.hwcaps=-SHSTK", ErrShadowStack, features)
	}
	return nil
}

func readShadowStacks() (uint64, error) {
	var features uint64
	_, _, errno := unix.RawSyscall(unix.SYS_ARCH_PRCTL, archShstkStatus, uintptr(unsafe.Pointer(&features)), 0)
	if errno != 0 {
		return 0, errno
	}
	return features, nil
}
