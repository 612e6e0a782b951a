// Package runtime runs ordinary Go functions on stacks of its own, and switches
// between them in a few nanoseconds: coroutines, a fast [iter.Pull], deep recursion
// whose overflow can be recovered, and green threads. It is imported under another name:
//
//	import green "greenthread/runtime"
//
// # Concept
//
// A coroutine is a function with a place to stop. Whoever calls Resume lends it the
// kernel thread; whoever is inside calls Yield to give it back. There is no
// concurrency between the two, no queue and no scheduler: a switch is one call that
// returns on another stack.
//
//	resumer    ──Resume(1)──┐           ┌──►──Resume(2)──┐           ┌──►──
//	                        │ in        │ out            │ in        │ out
//	coroutine               └──►──Yield─┘                └──►──Yield─┘
//
// Below, a coroutine borrows a thread: a goroutine that was moved for good to a
// guarded stack of package stackpool, and that runs one function after another there.
// To Go it is a goroutine like any other. So the body may do whatever Go code may:
// allocate, panic, block on a channel, sleep, call C; it shows in tracebacks and
// profiles; the collector scans its stack precisely. When the body blocks in Go, the
// resumer blocks with it, as with any function that it calls.
//
// Threads are kept when their function has ended, and used again last in, first out.
//
//	[NewCoroutine]       values in both directions; Resume, Yield, Close
//	[Coroutine.All]      a coroutine as an iterator
//	[Pull], [Pull2]      an iterator as a function, with iter.Pull's contract
//	[Do]                 one function, to its end, on a stack of a chosen size
//	[Go], [Run], [New]   green threads: functions beside others
//
// # Green threads
//
// A [Thread] runs beside others on the carriers of a [Runtime], many on few. [Yield],
// [Park], [Sleep], [Thread.Join] and the primitives below switch to the next thread
// directly, also from within a coroutine, a Do or a Pull that the thread has resumed.
// Whatever blocks in Go blocks the carrier, which is replaced within one or two milliseconds.
// A panic that is not recovered ends the program, as a goroutine's does.
//
// A thread takes a stack when it starts, not before; where one thread ends, the next one
// that has not started begins on the same stack, without a switch. Of these, a carrier
// begins with the newest, and others take the oldest.
//
// [Block] hands the carrier over before something that is known to block. [AfterFunc] and
// [NewTicker] start threads and send ticks at their time; what waits for them costs neither a
// thread nor a stack. [Simulate] runs threads so that everything that is left to
// chance comes from a seed.
//
// # Seeing
//
// What costs nothing unless it is asked for:
//
//	[Runtime.Stats]      counts: switches, steals, sleeps, threads, queues, timers, anchors
//	[Runtime.Threads]    the threads, each with its State, Waits, Waited, Labels and Creator
//	[Dump]               all of that, with the stacks, in text; it stops the world
//	[DeadlockError]      nothing is left to wake what waits: written to standard error, or
//	                     told to Config.OnDeadlock, and to Run
//	Config.Hook          a function that is told what happens to carriers and threads
//	Config.Profile       the profile "greenthread" of runtime/pprof: where threads were started
//
// # Primitives
//
// A thread that waits at one of these is switched out, and its carrier runs others; a
// goroutine sleeps. Either may meet the other there. The contracts are those of package
// sync, of Go's channels and of errgroup; besides, all waits but those of Once and Group
// can be ended by a context. A wait that has ended so has taken nothing; what can be had without waiting is
// had, also if the context has ended.
//
//	[Mutex], [RWMutex]              locks
//	[Cond], [WaitGroup], [Barrier]  to wait for others
//	[Once], [OnceFunc], [OnceValue] what is done once
//	[Semaphore]                     permits, first come first served
//	[Chan], [Select]                values that are handed over
//	[Spawn], [Future], [Group]      functions with results and errors
//	[Local]                         a variable of each thread
//
// # Promises
//
//   - Exactly one of several goroutines that resume the same coroutine at the same
//     time wins; the others get [ErrRunning]. A Resume that returns an error has run
//     nothing and lost nothing.
//   - What was written before Resume is seen by the body, and what was written before
//     Yield by the resumer, also when resumers take turns; the race detector sees
//     these edges.
//   - A panic in the body reaches the resumer as a [PanicError]: the original value and
//     the stack on which it began. [Pull] hands on the bare value, as iter.Pull does.
//     runtime.Goexit in the body ends the resumer's goroutine too, as there.
//   - Close, and the end by itself of a coroutine that nobody can reach any more, run the
//     deferred calls of the body.
//   - A stack overflow is a panic, a [StackOverflowError] to the resumer. The body goes
//     on in the guard (64 KiB), one instruction at a time, until a call at which a panic
//     leaves nothing of Go's runtime half changed: one from outside of the runtime and
//     of package sync, of a function that checks its stack, with only frames on the stack
//     that a panic may pass. Where none comes before the stack is 8 KiB above the guard
//     again, a part of the guard was used, without harm. Where Go's runtime itself needs more than the guard, or a
//     frame does not fit, the program ends with a message that names the thread, its size
//     and its bounds. It never runs over its neighbour.
//   - The same program runs, with the same results, where the native backend cannot
//     serve: see [Backend]. Only an overflow is not recovered there: Go's stacks grow, up
//     to Go's limit, which is fatal. And what is refused for the sake of native switches
//     ([ErrBubble], [ErrCallback], [ErrThread]) is not refused there.
//
// # Costs
//
// The budget of the fast path, one way of Resume or Yield: no allocation, no system
// call; one atomic operation, with which Resume claims the coroutine, and two more per
// switch while the collector marks. [Pull] does without the first, since its contract
// forbids concurrent calls. [Do] on a warm thread needs one to claim the thread.
//
// Measured with go test -bench . on two virtual CPUs of an AMD EPYC (Zen 5), go1.26, against
// what Go itself offers in the same run:
//
//	Resume and Yield, one way             6 ns       iter.Pull, one way     29 ns
//	next of Pull                         12 ns       next of iter.Pull      58 ns
//	Do, an empty function                28 ns       go and WaitGroup      290 ns
//	Yield among 10 green threads   12 to 14 ns       runtime.Gosched        80 ns
//
// The first use checks the running binary, which takes some 15 ms. To start a Pull is
// dearer than to start an iter.Pull: a sequence must have between four and ten values
// before it pays. A step after an overflow costs a signal, some 10 us in a virtual machine,
// and an allocation takes some hundred.
//
// A suspended coroutine with small frames costs 7.7 KiB of resident memory, of which
// 4 KiB are the top page of its stack, and 128 KiB of address space with the default
// sizes; 100,000 of them are 20 memory maps more where the kernel has
// MADV_GUARD_INSTALL. A coroutine that was made but not yet resumed costs an
// allocation of its own few words.
//
// Dearer are: a switch while the execution tracer runs or a goroutine profile is taken,
// which goes through Go's scheduler (300 ns); results that do not fit into five words of
// registers, or that are floats or arrays, and every switch under the race detector,
// which go the plain way and return twice; the first function on a new thread, which
// costs a goroutine and a stack.
//
// # What stays visible
//
// An idle thread is a parked goroutine: runtime.NumGoroutine counts it, and a dump of all
// goroutines shows it. [Trim] ends those that are idle. Tracebacks, dumps and profiles of
// all kinds show suspended bodies with their stacks.
package runtime
