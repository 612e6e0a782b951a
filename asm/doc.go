// Package asm is every line of assembly that this module has: switches between the
// stacks of goroutines, switches between native contexts, kernel threads made by
// clone(2), and the signal handler that tells a stack overflow from other faults. It
// owns the table of offsets into Go's runtime, and the check that the table
// holds in the running binary.
//
// It is the bottom layer. Whoever wants coroutines uses package runtime; what is
// exported for goroutines here trusts its caller.
//
// # Goroutines on other stacks
//
// Go finds everything that it wants to know of a stack in the goroutine's g: the
// bounds, where to go on, whether it runs. So a goroutine can be moved to any
// memory by writing new bounds there and jumping ([Context.Adopt]). From then on the
// goroutine is an anchor: it stays where it is, and functions run on it one after another.
//
// A switch makes one g waiting and another one running, and exchanges the stack pointer; the
// kernel thread's m keeps running and does not notice that its current goroutine has
// become another. Go's scheduler is not asked. To the collector, to tracebacks and
// to profiles the suspended side is a goroutine that waits for the reason "coroutine",
// with a valid place to go on, as those of iter.Pull are.
//
//	                 Adopt, Begin            Enter
//	own goroutine ───────────────► suspended ─────► running ─────► Release: own goroutine
//	                                  ▲   ▲           │  │
//	                                  │   │   Leave   │  │ Finish
//	                                  │   └───────────┘  │
//	                                  └── (Rewind) ──────┘
//
// Enter and Leave return where they were called. EnterShort and LeaveShort return one
// frame further out, where the calling Go function would have returned, with its results
// already in the registers. Each return that lies between a switch and the user's code
// costs a mispredicted branch, 5 ns; the short way saves one on either side.
//
// [Check] must have returned nil before any of this is used. It is the promise this part
// makes: where the table of offsets does not hold, nothing is touched.
//
// # Stack overflow
//
// A context's stack ends at a guard, and the handler of its fault stands in front of
// Go's. It opens the upper part of the guard, and the program goes on there, one
// instruction at a time (on amd64 by the CPU's trap flag, on arm64 by a copy of each
// with a breakpoint behind it), until it makes a call where a panic is safe: from
// outside of Go's runtime and of package sync, of a function that checks its stack, with
// only frames on the stack that a panic may pass. There the panic begins, so nothing
// of the runtime is left half changed. Where the runtime itself needs more than
// the guard, or a frame does not fit, the program ends with a message that names the
// thread, its size and its bounds.
//
// # Native contexts
//
// A [NativeContext] is the same for code that knows nothing of Go: C, or assembly that
// follows C's ABI. [SwapContext] keeps what that ABI wants kept: on amd64 six registers,
// the stack pointer, and the control words of both floating-point units. [SwapRegisters]
// leaves out the control words. It needs no check, and nothing of Go's runtime. Native code
// that runs on a goroutine's kernel thread cannot be preempted.
//
// # Kernel threads
//
// A [KernelThread] is made by clone(2) on a stack of the caller's, runs native code with
// all signals blocked, and is joined through the word that the kernel clears
// when it no longer uses the stack. It is what green threads are measured against.
//
// # Costs
//
// The budget of a switch between goroutines, one way: no allocation, no system call, no
// atomic read-modify-write; while the collector marks, two compare-and-swaps. All that a
// switch reads of a context lies in two cache lines.
//
// The budget of a native switch: eight registers stored, eight loaded, and a jump; with
// the control words two stores, one comparison and one load more, unless they differ.
//
// One way, on a Zen 5 at 4 GHz, go1.26:
//
//	between goroutines                        5 to 6 ns    (iter.Pull 29)
//	the same while the collector marks            12 ns
//	the same while the execution tracer runs     300 ns    (or a goroutine profile is taken)
//	native, with the control words               4.1 ns    (Boost.Context 4.5)
//	native, without                              2.9 ns
//	StartThread and Join, stack at hand    15 to 30 us     (pthread 16 to 30)
//
// The check of offsets takes some 15 ms, once, at the first use. A step after an overflow
// costs a signal, some 10 us in a virtual machine; an allocation takes some hundred.
//
// # Portability
//
// All of it works on Linux on amd64 and arm64; the figures above are of amd64. On arm64
// the switch always has its two compare-and-swaps, and Check refuses the race detector.
// Elsewhere the package compiles: Check, MakeContext and StartThread return an error that
// says so, and package runtime goes on without.
package asm
