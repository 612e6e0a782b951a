// Package stackpool is an allocator of stacks: pieces of memory mapped from the
// kernel, each with a guard below it, handed out and taken back in the time
// of a few atomic operations. It knows nothing of coroutines; any Go program that
// needs memory whose lower end faults when it is run over can use it, for threads
// started by hand, for emulators, for native code.
//
// # Concept
//
// A [Pool] maps memory in large pieces, called arenas, and cuts them into slots
// of one size, in ascending order:
//
//	arena.base
//	│
//	├──────────┬───────────────┬──────────┬───────────────┬─ ─ ─┬──────────┐
//	│  guard   │    usable     │  guard   │    usable     │     │  guard   │
//	├──────────┼───────────────┼──────────┼───────────────┼─ ─ ─┼──────────┤
//	           │               │
//	     Stack.Bottom()   Stack.Top()            a stack grows downwards, ◄──
//
// So there is a guard directly below and directly above every stack: what runs
// over its bottom faults, and what looks past its top never sees a neighbour. A
// guard is put in force before its stack is handed out for the first time, and it
// stays in force for as long as the arena is mapped.
//
// A slot is cut once, when the cache is empty. From then on its stack is live
// (between Get and Put) or cached, and goes round between the two without the
// kernel's help, still warm: the cache is last in, first out, unless another
// [Order] was chosen.
//
// The cache has two levels. Each carrier (each P of the Go runtime) has a magazine
// of a few stacks, which only it uses; behind them is one depot with a lock. Half a
// magazine at a time goes from the one to the other, so that stacks which are
// taken here and put back there neither pile up nor make two processors fight for
// a line at every call.
//
// One pool has stacks of several sizes, if [Pool.GetSize] asks for them: a class for
// each power of two, with arenas, magazines and a depot of its own.
//
// The descriptor of a stack, [Stack], is an ordinary Go object outside of the
// stack's memory. (A header at its bottom would cost a resident page each.)
//
// # Guards
//
// Where the kernel has MADV_GUARD_INSTALL (Linux 6.13), a guard costs one system
// call in the life of a slot and no memory map: a whole arena is one map.
// Elsewhere a guard is memory without access rights (mprotect), at two maps per
// stack, of which a process may have 65,530 (vm.max_map_count). [GuardAuto]
// chooses, once per process, and trusts only what it saw: it installs a guard on
// a page of its own and checks that this page really faults, since some systems
// accept any advice and do nothing.
//
// # Promises
//
//   - A stack that was asked for with a guard is never handed out without one.
//   - Nothing but what the pool mapped is ever advised, protected or unmapped.
//   - A stack put back twice, to another pool, or while something runs on it is
//     refused with an error that says so, and nothing is changed.
//   - When a limit is hit (of the pool, of the process, of the machine), the pool
//     gives back what it can, tries once more, and then returns a [LimitError]
//     which names that limit, its value and the remedy.
//   - It stops a little before such a limit: 1,024 memory maps and 80 MiB of
//     address space are left to the Go runtime, which dies where a pool returns
//     an error.
//   - A guard whose size is changed by [Stack.SetGuard] is never open meanwhile.
//   - Every error path gives back what it took. What could not be given
//     back (munmap may fail too) is kept in the books and tried again.
//
// # Costs
//
// The budget of the fast path, a warm Get and Put: one compare-and-swap, no lock, no
// allocation, no system call, no look at the stack's memory. Both together took
// 12.9 ns where one without magazines took 49 and map, guard, touch and unmap 8,800
// (EPYC, Linux 6.18, in a virtual machine with two processors; BenchmarkGetPutWarm,
// BenchmarkGetPutDepot, BenchmarkMapGuardTouchUnmap). Two processors at once do not
// hinder each other: they took 12.9 ns each (BenchmarkGetPutWarmParallel).
// The first Get of a slot costs one system call for its guard. A Stack is 64 bytes
// of Go memory.
//
// # What becomes of idle memory
//
// A [Policy] decides that. By default cached stacks keep their memory while they are
// in demand, and lose it in the background when they have rested for some seconds:
// of a burst of 100,000 stacks with two pages each (819 MB), 0.02% were left after 4
// seconds and nothing after 6. (The process kept 2% until the next collection of the
// Go heap: the descriptors of the stacks.) The background has no timer while there is
// nothing to give back. (A timer that a Put in a synctest bubble has started goes by the clock of
// that bubble, and is lost with it: a pool that is used in tests of this kind is best their own.)
//
// Other policies keep everything, or give back at each Put; [Pool.SetPolicy] swaps
// them in a pool that is in use, Config.MaxWarm bounds them all, and [Pool.Trim] gives
// back at once. What each costs and brings, in
// figures, is told by [Policy].
//
// # Limits that a pool cannot see
//
// A control group's limit on memory mostly shows itself when a stack is touched, and
// the kernel then ends a process of the group; no error is returned that a pool could
// pass on. What is refused to the pool itself (page tables for guards, for one) is
// reported as a LimitError with the limit of the group that is full. Config.MaxStacks
// and MaxWarmBytes are the way to stay below it.
//
// # Fork and exec
//
// Programs may be started at any time: an exec leaves all memory of a pool behind, and
// no file descriptor of it is inherited. A fork without exec, by C code, gives the
// child a copy of all stacks with their guards, which it pays for in page tables; they
// are not kept from it (MADV_DONTFORK), because the fork may have been called on one of
// them. The child of a Go program may do nothing else with the pool.
//
// # Observation
//
// [Pool.Stats] counts, without a system call; [Pool.Usage] asks the kernel what is
// resident and promised; [Stack.HighWater] tells how deep a stack has been, and
// Config.Hook is told what happens, when it happens.
//
// Arenas are mapped with MAP_NORESERVE, so that they are address space and not
// memory until they are touched; and without huge pages, which would make a stack
// of 2 MiB resident with its first byte.
//
// # Portability
//
// Pools work on Linux, on every architecture. Elsewhere the package compiles, and
// [New] returns an error that wraps [errors.ErrUnsupported].
package stackpool
