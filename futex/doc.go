// Package futex lets Go code sleep in the kernel on a word of memory, and be woken from there.
//
// # The concept
//
// A futex is any aligned 4-byte word. Its meaning is the program's: locked, full, generation 7. Everything that succeeds
// at once is done on it by atomic operations and never enters the kernel. Only one who has to wait calls Wait, with the
// value that made it wait; the kernel looks whether the word still has it and puts the thread to sleep, in one step. One
// who changes the word so that somebody can go on calls Wake. The kernel keeps nothing while nobody sleeps: there is
// nothing to create, to close or to leak, and the word may lie in memory shared with another process, or that Go's
// runtime knows nothing of.
//
// Parker is the one primitive most others need: a goroutine that sleeps until it is handed a token. Around it, a queue
// of waiters is plain data.
//
// Mutex, RWMutex, Cond, Semaphore, Barrier, Event and Once are plain memory of a fixed size, at most 16 bytes, ready at their
// zero value. Each can give up waiting at a deadline or when a context ends, and what does not wait makes no system call.
//
// SharedMutex, SharedRWMutex, SharedCond and so on are the same for several processes, in memory that all of them map; zeroed
// memory holds them ready. Their methods return errors, since others can do what no one here can prevent: a process that dies
// while it owns a lock is found out, and the next owner gets ErrOwnerDied. The comment at custodian tells how.
//
// # Promises
//
//   - A token, and the Wake that follows a change of the word, is never lost.
//   - Of a wake-up, a timeout and a cancellation that race for one sleeper, exactly one wins.
//   - A deadline is absolute and monotonic: no wait ends before it, and signals (Go's runtime sends SIGURG to preempt)
//     neither shorten nor stretch it. EINTR and EAGAIN do not reach the caller.
//   - Wait and WaitUntil may return nil for no reason; the methods of Parker return for a reason only.
//   - The whole system call is here, typed: bitsets, requeueing, WakeOp, locks that inherit priority, up to 128 words at
//     once (WaitAny), deadlines on either clock. What the kernel or a seccomp filter refuses is found out by one
//     harmless try, and something else does its work; see Feature.
//   - A nil or unaligned address is an *AddressError. A Go variable that is waited on lives on the heap, since a
//     goroutine's stack moves and the kernel would not follow: the compiler is made to see to that.
//   - On other systems, Wait, WaitUntil and Wake return an error that wraps errors.ErrUnsupported; Parker works
//     everywhere, through the Go scheduler if need be.
//
// # Costs
//
// The budget of the fast path (Unpark where nobody sleeps, Park where the token is there): one atomic operation each, no
// system call, no allocation. Unpark of a sleeper makes one system call. Before it sleeps, Park looks for the token for
// a bounded time that adapts to its success, and with one CPU not at all.
//
// Measured on two virtual CPUs of an AMD EPYC (Linux 6.18, go1.26, other work going on beside; ranges are over runs):
//
//	Unpark and Park, token already there                           10 ns
//	Wake when nobody waits, private / shared                      205 / 295 ns
//	Wait on a word that has changed, private / shared             290 / 385 ns
//	Now                                                           220 ns
//	a look for the token, in full / after many misses              24 / 0.4 us
//
//	Round trip between two goroutines, each locked to its kernel thread:
//	                                      Parker         sleeping at once    unbuffered channel
//	2 CPUs, both free                     0.14 - 0.35    17 - 33             20 - 80 us
//	2 CPUs, busy with other programs      7              4 - 6               20 - 23 us
//	1 CPU, GOMAXPROCS=2                   4              4                   17 - 20 us
//	1 CPU, GOMAXPROCS=1                   15             14 - 19             12 - 14 us
//
//	Lock and Unlock by one goroutine:
//	Mutex / sync.Mutex                                             10.8 / 10.5 ns
//	RWMutex / sync.RWMutex, for reading                            10.8 / 10.8 ns
//	Semaphore, Release and Acquire                                 11.2 ns
//	Signal, Broadcast when nobody waits                            1.2 ns
//	SharedMutex / SharedRWMutex, for reading                       85 / 230 ns
//
//	Many goroutines want one lock:          2             4             16            64
//	Mutex                                   115 - 126     125 - 130     109 - 116     223 - 260 ns
//	sync.Mutex                              68 - 70       125 - 149     172 - 280     102 - 236 ns
//	longest wait, Mutex                     10 - 100      23 - 72       40 - 82       80 - 305 ms
//	longest wait, sync.Mutex                4             26 - 50       52 - 90       62 - 82 ms
//
//	CPU of one who waits for a second in vain: 0.013% (Parker, Mutex), 0.053% (SharedMutex, which looks four times)
//
// Private against shared, two threads that wake each other through a Mutex and a Cond (go run ./bench run futex; private :
// shared was up to 2 times in 2014): 1.1 times as many rounds as with the flag refused on one CPU, 1.3 to 1.5 on two, where the
// figures come and go with the CPU on which a thread wakes. What the flag saves here is the 90 ns for which the kernel looks for the page of
// a shared word, in each call, beside wake-ups that take microseconds. SharedMutex and SharedCond, which also enter each
// lock in a list for the kernel, make 1 to 2 times fewer rounds. Broadcasts to five differ by less than what is measured.
//
// Against a C program that does the same round trip by bare futexes, taken in turns with it, a Parker that sleeps at once takes
// 1.12 to 1.40 times as long (BenchmarkRoundTripAgainstC, medians of 11 pairs). Wait and Wake alone take no less than
// a Parker: part of the surplus is that the Go scheduler is told of each wait, so that others get the P.
//
// (go test -run xxx -bench . -cpu 1,2 ./futex, with taskset -c 0 for one CPU.) A wake-up through an idle CPU is so dear
// because that CPU must be interrupted first; a look avoids it.
//
// # What it costs a Go program
//
// One who sleeps here sleeps with its kernel thread. A parked goroutine costs 18 KiB of resident memory (a channel's
// receiver: its stack), and counts against debug.SetMaxThreads: at 10,000 sleepers the program dies. Use it for
// few, long-lived, preferably locked goroutines, such as those that carry others; between ordinary goroutines a channel
// is faster (130 ns a hand-over in a ring of eight, against 20 to 70 us here) and costs no thread.
//
// A sleeper also takes its P along. The scheduler's monitor takes the P back when it sees it idle in a system call for one
// of its rounds, 20 us to 10 ms; until then, goroutines in that P's queue run only if another P steals them. So the
// fewer Ps, the dearer: with GOMAXPROCS=1, a round trip by Wait and Wake alone took 160 to 350 us. Parker therefore
// yields once before it sleeps, with one P.
//
// To the Go runtime a sleeper is in a system call, not blocked: it does not report a deadlock when everyone sleeps here,
// and a synctest bubble does not count it as durably blocked. The garbage collector and stop-the-world do not wait for
// it. Tracebacks and profiles show it in Syscall6.
package futex
