//go:build linux && (amd64 || arm64)

package asm

import (
	"fmt"
	"sync"
)

// MakeContext makes c a context that begins at entry, the address of code that
// follows C's ABI, with arg as its first argument, on the given stack, when
// somebody first switches to it. At the entry's first instruction SP is aligned
// as the ABI says (8 mod 16 on amd64, 0 on arm64), the frame pointer is 0 and the
// floating-point control words are the ABI's defaults (SwapRegisters leaves those as
// they are).
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
	*c = NativeContext{link: link, self: c, stackLo: stack.Lo, stackHi: stack.Hi}
	c.begin(entry, arg)
	return nil
}

// SwapContext saves the caller in from and continues to. It returns when
// somebody continues from. Each context keeps its own floating-point control words
// (MXCSR and that of the x87; on arm64 FPCR). It panics when to was never made or
// saved, or has ended.
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
// and to are the arguments, by C's ABI. Here nothing checks that to is ready; if it
// is not, the program crashes at address 0.
func SwapContextAddress() uintptr { return swapContextAddress() }

// SwapRegistersAddress returns the address of SwapRegisters for native code.
func SwapRegistersAddress() uintptr { return swapRegistersAddress() }

// The assembly of native_ARCH.s. The first two are C functions, the next two
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

// checkShadowStacks refuses when the kernel says that shadow stacks are on. A
// kernel that cannot say (an old one, or a sandbox) has none.
func checkShadowStacks(status func() (uint64, error)) error {
	features, err := status()
	if err == nil && features&shadowStackOn != 0 {
		return fmt.Errorf("%w (the kernel says %#x) and would end the program at the first switch; "+
			"start it without them, as with GLIBC_TUNABLES=%s", ErrShadowStack, features, shadowStackTunable)
	}
	return nil
}
