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

// begin sets what a fresh context starts with, see nativeStart.
func (c *NativeContext) begin(entry, arg uintptr) {
	c.sp, c.pc = c.stackHi-16, nativeStartAddress()
	c.bx, c.r12, c.r13 = entry, arg, uintptr(unsafe.Pointer(c))
	c.mxcsr, c.fpcw = defaultMXCSR, defaultFPCW
}

const (
	archShstkStatus = 0x5005 // arch_prctl(ARCH_SHSTK_STATUS, &features)
	shadowStackOn   = 1      // the feature bit: shadow stacks are on
)

// shadowStackTunable is how a C library is told to do without.
const shadowStackTunable = "glibc.cpu.hwcaps=-SHSTK"

func readShadowStacks() (uint64, error) {
	var features uint64
	_, _, errno := unix.RawSyscall(unix.SYS_ARCH_PRCTL, archShstkStatus, uintptr(unsafe.Pointer(&features)), 0)
	if errno != 0 {
		return 0, errno
	}
	return features, nil
}

// wordsBody is the argument of bodyWords.
type wordsBody struct {
	own, home   NativeContext
	mxcsr       uint32 // to be put in force
	fpcw        uint32
	seenMxcsr   uint32 // found at the last look
	seenFpcw    uint32
	wrong, stop uint32
}
