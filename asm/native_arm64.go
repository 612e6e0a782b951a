//go:build linux

package asm

import (
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
//     switch keeps nothing below SP. But they find the goroutine in X28, unless
//     runtime/cgo is linked: without it, native code must leave X28 alone
//     (gcc -ffixed-x28), and the switch does too.
//   - A fault in native code ends the program: there is nobody on the native stack who
//     could recover. That includes running over the end of the stack into its
//     guard; without a guard nothing stops it.
//
// A switch costs no allocation, no system call and no locked instruction.
type NativeContext struct {
	// What the switch saves and loads.
	sp, pc   uintptr
	x19, x20 uintptr
	x21, x22 uintptr
	x23, x24 uintptr
	x25, x26 uintptr
	x27, x29 uintptr
	x28      uintptr // with runtime/cgo only, see above
	d8, d9   uint64
	d10, d11 uint64
	d12, d13 uint64
	d14, d15 uint64
	fpcr     uint32 // valid if words is not 0
	words    uint32
	link     *NativeContext
	self     *NativeContext // moves the context to the heap
	stackLo  uintptr
	stackHi  uintptr
}

// defaultFPCR is the control word of a fresh context, as C's ABI has it at program
// start: no exception traps, rounding to nearest.
const defaultFPCR = 0

// begin sets what a fresh context starts with, see nativeStart.
func (c *NativeContext) begin(entry, arg uintptr) {
	c.sp, c.pc = c.stackHi-16, nativeStartAddress()
	c.x19, c.x20, c.x21 = entry, arg, uintptr(unsafe.Pointer(c))
	c.fpcr, c.words = defaultFPCR, 1
}

const (
	prGetShadowStackStatus = 74 // prctl(PR_GET_SHADOW_STACK_STATUS, &features)
	shadowStackOn          = 1  // PR_SHADOW_STACK_ENABLE
)

// shadowStackTunable is how a C library is told to do without.
const shadowStackTunable = "glibc.cpu.aarch64_gcs=0"

func readShadowStacks() (uint64, error) {
	var features uint64
	_, _, errno := unix.RawSyscall6(unix.SYS_PRCTL, prGetShadowStackStatus, uintptr(unsafe.Pointer(&features)), 0, 0, 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return features, nil
}

// wordsBody is the argument of bodyWords.
type wordsBody struct {
	own, home   NativeContext
	fpcr        uint32 // to be put in force
	seen        uint32 // found at the last look
	wrong, stop uint32
}
