//go:build linux && (amd64 || arm64)

package asm

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A KernelThread is a thread of the kernel's that neither Go nor a C library
// knows: it runs native code on a stack of the caller's choice and shares
// everything with the process.
//
//	StartThread         entry returns            Join
//	───────────► running ────────────► exiting ───────► joined: the stack is free
//	                                     the kernel clears the word and
//	                                     wakes Join
//
// What native code finds there:
//
//   - All signals are blocked, from before its first instruction. So no handler of
//     Go's or of anybody's ever runs on it, and Go's signals go to Go's threads. A
//     fault that the code itself causes cannot be blocked: the kernel ends the process
//     with the default action, without a word from Go.
//   - Thread-local storage is a block of zeros at the top of the stack; on amd64 its
//     thread pointer points to itself, as C's ABI wants it. That is enough for
//     what a compiler generates (stack protector), not for a C library:
//     errno, malloc or stdio must not be used, nor anything of Go.
//   - The kernel thread has its own alternate signal stack (none), robust list
//     and restartable sequences (none), and inherits the CPU affinity and the
//     credentials of the thread that made it. Later changes of these
//     credentials by package syscall do not reach it.
//   - os.Exit and a crash end it with the process; exec too.
type KernelThread struct {
	// word holds the thread's number until the kernel clears it at the very end,
	// when the thread no longer touches its stack. It does so whether somebody
	// waits or not, so this struct must stay where it is: see threads.
	word  uint32
	tid   int
	stack StackMemory
	join  sync.Mutex // held by who waits: the kernel wakes one only
}

// threads holds the threads that were not joined, by the upper bounds of their
// stacks. It keeps their words reachable for the kernel, which the
// collector knows nothing of.
var threads = struct {
	sync.Mutex
	byStack map[uintptr]*KernelThread
}{byStack: map[uintptr]*KernelThread{}}

const (
	futexWait        = 0 // without FUTEX_PRIVATE_FLAG
	futexWaitPrivate = 128

	cloneFlags = unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND |
		unix.CLONE_THREAD | unix.CLONE_SYSVSEM | unix.CLONE_SETTLS |
		unix.CLONE_PARENT_SETTID | unix.CLONE_CHILD_CLEARTID

	// The block of thread-local storage: so much below the thread pointer, where
	// variables lie (Go's g among them, at -8), and so much from there up.
	blockBelow  = 256
	blockAbove  = 256
	threadBlock = blockBelow + blockAbove
)

// StartThread makes a kernel thread that calls entry, the address of code that
// follows C's ABI, with arg as its argument, and ends when that returns. SP is aligned
// as the ABI says at entry's first instruction, the floating-point control words
// are the ABI's defaults, the signal mask is full. The thread uses the 512 highest
// bytes of the stack for its thread-local storage.
//
// What arg points to must be reachable, and on the heap, as long as the thread runs.
// The stack belongs to the thread until Join has returned, and every thread must be
// joined: until then its handle is kept.
//
// It takes three system calls on the calling kernel thread, in assembly, so
// that Go cannot preempt in between; all signals are blocked on it meanwhile. The
// error wraps ErrStackMemory, ErrStackBusy, ErrEntry, or, with the errno, ErrThreadLimit.
func StartThread(stack StackMemory, entry, arg uintptr) (*KernelThread, error) {
	if err := stack.check("kernel thread", entry, MinThreadStack); err != nil {
		return nil, err
	}
	t := &KernelThread{stack: stack}
	threads.Lock()
	if other := threads.byStack[stack.Hi]; other != nil {
		threads.Unlock()
		return nil, fmt.Errorf("asm: kernel thread: %w: %v", ErrStackBusy, stack)
	}
	threads.byStack[stack.Hi] = t
	threads.Unlock()

	tp := (stack.Hi - blockAbove) &^ (StackAlign - 1)
	block := tp - blockBelow
	clear(unsafe.Slice(at[byte](block), threadBlock))
	setThreadPointer(tp)

	tid, errno := cloneHook(&t.word, block, tp, entry, arg)
	if errno != 0 {
		t.forget()
		return nil, cloneError(errno)
	}
	t.tid = tid
	return t, nil
}

// cloneHook is where tests make clone fail.
var cloneHook = func(word *uint32, sp, tp, entry, arg uintptr) (int, unix.Errno) {
	r := clone(word, sp, tp, entry, arg)
	if r < 0 {
		return 0, unix.Errno(-r)
	}
	return r, 0
}

// clone is in clone_ARCH.s: the number of the new thread, or a negative errno.
func clone(word *uint32, sp, tp, entry, arg uintptr) int

// TID returns the number that the kernel has given the thread. Once the thread
// has ended, another may get it.
func (t *KernelThread) TID() int { return t.tid }

// Ended reports whether the thread has ended, without waiting for it.
func (t *KernelThread) Ended() bool { return atomic.LoadUint32(&t.word) == 0 }

// Join waits until the thread has ended and frees its stack for other uses. It
// may be called more than once, and from several goroutines. It
// blocks the calling kernel thread, in one system call, and Go's scheduler goes on with
// another. The error is that of the kernel where it refuses to wait; then the
// thread is not joined.
func (t *KernelThread) Join() error {
	t.join.Lock()
	defer t.join.Unlock()
	for {
		tid := atomic.LoadUint32(&t.word)
		if tid == 0 {
			t.forget()
			return nil
		}
		// The kernel wakes the word as a shared one, so the wait must be shared too: a
		// private one would sleep for ever. Whatever comes back, the word decides.
		_, _, errno := unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&t.word)), futexWait, uintptr(tid), 0, 0, 0)
		if errno != 0 && errno != unix.EINTR && errno != unix.EAGAIN {
			return fmt.Errorf("asm: join of kernel thread %d: futex: %w", t.tid, errno)
		}
	}
}

// forget takes the thread out of the registry. It may be called again, when the stack
// has another thread.
func (t *KernelThread) forget() {
	threads.Lock()
	if threads.byStack[t.stack.Hi] == t {
		delete(threads.byStack, t.stack.Hi)
	}
	threads.Unlock()
}

// ThreadLimitError reports that the kernel makes no more threads. It does not
// say which limit was hit, so this tells what they are. errors.Is finds
// ErrThreadLimit and the errno.
type ThreadLimitError struct {
	Err    error    // of clone: EAGAIN, ENOMEM
	Limits []string // each with its value, "kernel.pid_max is 32768"
	Have   int      // threads of this process, 0 if unknown
}

// Error names the limits.
func (e *ThreadLimitError) Error() string {
	msg := fmt.Sprintf("asm: %v: clone: %v", ErrThreadLimit, e.Err)
	if e.Have > 0 {
		msg += fmt.Sprintf("; this process has %d", e.Have)
	}
	if len(e.Limits) > 0 {
		msg += "; the limits are: " + strings.Join(e.Limits, ", ")
	}
	return msg
}

// Unwrap returns ErrThreadLimit and the errno.
func (e *ThreadLimitError) Unwrap() []error { return []error{ErrThreadLimit, e.Err} }

// cloneError makes the error of a clone that was refused.
func cloneError(errno unix.Errno) error {
	if errno != unix.EAGAIN && errno != unix.ENOMEM {
		return fmt.Errorf("asm: kernel thread: clone: %w", errno)
	}
	e := &ThreadLimitError{Err: errno}
	var processes unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NPROC, &processes); err == nil {
		value := "unlimited"
		if processes.Cur != unix.RLIM_INFINITY {
			value = strconv.FormatUint(processes.Cur, 10)
		}
		e.Limits = append(e.Limits, "RLIMIT_NPROC is "+value+" (threads of the user)")
	}
	e.add("kernel.pid_max", "/proc/sys/kernel/pid_max")
	e.add("kernel.threads-max", "/proc/sys/kernel/threads-max")
	e.add("vm.max_map_count", "/proc/sys/vm/max_map_count")
	if group, err := os.ReadFile("/proc/self/cgroup"); err == nil {
		for line := range strings.Lines(string(group)) {
			if path, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
				e.add("pids.max of the control group", filepath.Join("/sys/fs/cgroup", path, "pids.max"))
			}
		}
	}
	if tasks, err := os.ReadDir("/proc/self/task"); err == nil {
		e.Have = len(tasks)
	}
	return e
}

// add reads the value of a limit from a file, if there is one.
func (e *ThreadLimitError) add(name, path string) {
	if value, err := os.ReadFile(path); err == nil {
		e.Limits = append(e.Limits, name+" is "+strings.TrimSpace(string(value)))
	}
}
