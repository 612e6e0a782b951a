//go:build linux && (amd64 || arm64)

package asm

import (
	"errors"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// start is StartThread in a test.
func start(t testing.TB, stack StackMemory, entry, arg uintptr) *KernelThread {
	t.Helper()
	thread, err := StartThread(stack, entry, arg)
	if err != nil {
		t.Fatal(err)
	}
	return thread
}

// join is Join in a test.
func join(t testing.TB, thread *KernelThread) {
	t.Helper()
	if err := thread.Join(); err != nil {
		t.Error(err)
	}
	if !thread.Ended() {
		t.Error("it was joined, but has not ended")
	}
}

// waiting is the argument of bodyWait and bodySpin.
type waiting struct{ begun, end uint32 }

// await waits until n threads have begun.
func (w *waiting) await(n uint32) {
	for atomic.LoadUint32(&w.begun) < n {
		runtime.Gosched()
	}
}

// release lets them end.
func (w *waiting) release() {
	atomic.StoreUint32(&w.end, 1)
	unix.Syscall6(unix.SYS_FUTEX, addressOf(&w.end), 129 /* FUTEX_WAKE, private */, 1<<30, 0, 0, 0)
}

func TestThreadsRunOneAfterTheOtherOnOneStack(t *testing.T) {
	stack := mappedStack(t, 64<<10)
	counter := new(uint64)
	const n = 1000
	for range n {
		join(t, start(t, stack, BodyCount(), addressOf(counter)))
	}
	if *counter != n {
		t.Errorf("%d have run, want %d", *counter, n)
	}
}

func TestManyThreadsAliveAtOnce(t *testing.T) {
	const n = 200
	w := new(waiting)
	var threads []*KernelThread
	tids := map[int]bool{os.Getpid(): true}
	for range n {
		thread := start(t, mappedStack(t, MinThreadStack), bodyWaitAddress(), addressOf(w))
		threads = append(threads, thread)
		tids[thread.TID()] = true
	}
	w.await(n)
	if len(tids) != n+1 {
		t.Errorf("%d numbers for %d threads and the process", len(tids), n)
	}
	for _, thread := range threads {
		if thread.Ended() {
			t.Errorf("thread %d has ended", thread.TID())
		}
		if _, err := os.Stat("/proc/self/task/" + strconv.Itoa(thread.TID())); err != nil {
			t.Error(err)
		}
	}
	w.release()
	for _, thread := range threads {
		join(t, thread)
	}
}

func TestThreadsHaveAllSignalsBlockedAndTheirMakerNone(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	mask := func() (m uint64) {
		var set unix.Sigset_t
		if err := unix.PthreadSigmask(unix.SIG_BLOCK, nil, &set); err != nil {
			t.Fatal(err)
		}
		return set.Val[0]
	}
	before := mask()
	stack := mappedStack(t, 64<<10)
	seen := new(uint64)
	join(t, start(t, stack, bodyMaskAddress(), addressOf(seen)))
	unblockable := uint64(1)<<(unix.SIGKILL-1) | 1<<(unix.SIGSTOP-1)
	if emulator() != "" {
		t.Log("the emulator has no signals 63 and 64, and does not show them as blocked")
		unblockable |= 3 << 62
	}
	if *seen|unblockable != ^uint64(0) {
		t.Errorf("the mask of the thread is %#x", *seen)
	}
	if after := mask(); after != before {
		t.Errorf("the mask of its maker was %#x and is %#x", before, after)
	}
	cloneWith(t, unix.EPERM, func() { StartThread(stack, BodyReturn(), 0) })
	if after := mask(); after != before {
		t.Errorf("the mask of its maker was %#x and is %#x", before, after)
	}
	if badThreadPointer == 0 {
		t.Log("not tried: a clone that the kernel refuses; no argument makes it do so here")
		return
	}
	if r := clone(new(uint32), stack.Hi-1024, badThreadPointer, BodyReturn(), 0); r != -int(unix.EPERM) {
		t.Errorf("clone returned %d", r)
	}
	if after := mask(); after != before {
		t.Errorf("after a refusal the mask of its maker is %#x, it was %#x", after, before)
	}
}

// cloneWith runs f while clone fails.
func cloneWith(t *testing.T, errno unix.Errno, f func()) {
	t.Helper()
	defer func(old func(*uint32, uintptr, uintptr, uintptr, uintptr) (int, unix.Errno)) { cloneHook = old }(cloneHook)
	cloneHook = func(*uint32, uintptr, uintptr, uintptr, uintptr) (int, unix.Errno) { return 0, errno }
	f()
}

func TestThreadStartsAsTheABISays(t *testing.T) {
	stack := mappedStack(t, 64<<10)
	for _, off := range []uintptr{0, 16, 32, 48} {
		stack := StackMemory{stack.Lo, stack.Hi - off}
		out := new([4]uint64)
		join(t, start(t, stack, bodyAlignmentAddress(), addressOf(out)))
		if out[0]%16 != entryMod || uintptr(out[0]) > stack.Hi-threadBlock || uintptr(out[0]) < stack.Hi-threadBlock-64 {
			t.Errorf("SP at entry is %#x on %v", out[0], stack)
		}
		if words := controlWords(out); out[1] != 0 || words != defaultWords {
			t.Errorf("the frame pointer is %#x, the control words are %s", out[1], words)
		}
	}
}

func TestThreadLocalStorageIsItsOwnAndZero(t *testing.T) {
	stack := mappedStack(t, 64<<10)
	memory := bytesOf(stack)
	for range 2 {
		for i := range memory { // what a former thread has left
			memory[i] = 0xA5
		}
		out := new([4]uint64)
		join(t, start(t, stack, bodyTLSAddress(), addressOf(out)))
		if tp := uintptr(out[0]); tp < stack.Hi-threadBlock || tp >= stack.Hi {
			t.Errorf("the thread pointer leads to %#x, the stack is %v", tp, stack)
		}
		if out[1] != 0 || out[2] != 0 {
			t.Errorf("g is %#x, the stack protector's word %#x", out[1], out[2])
		}
	}
}

func TestThreadKeepsWithinItsStack(t *testing.T) {
	all := mappedStack(t, 64<<10)
	memory := bytesOf(all)
	for i := range memory {
		memory[i] = 0xA5
	}
	small := StackMemory{all.Lo + 4096, all.Lo + 4096 + MinThreadStack}
	join(t, start(t, small, BodyCount(), addressOf(new(uint64))))
	for i, b := range memory {
		if a := all.Lo + uintptr(i); b != 0xA5 && (a < small.Hi-threadBlock-64 || a >= small.Hi) {
			t.Fatalf("the byte at %#x was written, the stack is %v", a, small)
		}
	}
}

func TestJoinMayBeCalledByManyAndAgain(t *testing.T) {
	w := new(waiting)
	thread := start(t, mappedStack(t, 64<<10), bodyWaitAddress(), addressOf(w))
	w.await(1)
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() { join(t, thread) })
	}
	time.Sleep(5 * time.Millisecond) // so that most are waiting
	if thread.Ended() {
		t.Error("it has ended already")
	}
	w.release()
	wg.Wait()
	join(t, thread)
}

func TestOtherGoroutinesRunWhileOneJoins(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	w := new(waiting)
	thread := start(t, mappedStack(t, 64<<10), bodyWaitAddress(), addressOf(w))
	go func() {
		time.Sleep(time.Millisecond)
		w.release()
	}()
	join(t, thread)
}

func TestStackIsBusyUntilItsThreadIsJoined(t *testing.T) {
	stack := mappedStack(t, 64<<10)
	thread := start(t, stack, BodyReturn(), 0)
	for !thread.Ended() {
		runtime.Gosched()
	}
	if _, err := StartThread(stack, BodyReturn(), 0); !errors.Is(err, ErrStackBusy) || !strings.Contains(err.Error(), stack.String()) {
		t.Errorf("before Join: %v", err)
	}
	join(t, thread)
	next := start(t, stack, BodyReturn(), 0)
	join(t, thread) // once more, which must not free the other's stack
	if _, err := StartThread(stack, BodyReturn(), 0); !errors.Is(err, ErrStackBusy) {
		t.Errorf("before Join of the second: %v", err)
	}
	join(t, next)
	if len(threads.byStack) != 0 {
		t.Errorf("%d threads are kept", len(threads.byStack))
	}
}

func TestThreadThatNobodyHoldsIsKept(t *testing.T) {
	w := new(waiting)
	stack := mappedStack(t, 64<<10)
	start(t, stack, bodyWaitAddress(), addressOf(w))
	w.await(1)
	for range 3 {
		runtime.GC()
		keep := make([][]byte, 1000) // would get its memory
		for i := range keep {
			keep[i] = make([]byte, 64)
		}
	}
	threads.Lock()
	thread := threads.byStack[stack.Hi]
	threads.Unlock()
	if thread == nil || thread.Ended() {
		t.Fatalf("the thread is lost: %+v", thread)
	}
	w.release()
	join(t, thread)
}

func TestStartThreadNamesWhatIsWrong(t *testing.T) {
	for name, c := range map[string]struct {
		stack StackMemory
		entry uintptr
		is    error
		says  string
	}{
		"nil":       {StackMemory{}, 1, ErrStackMemory, "a bound is 0"},
		"unaligned": {StackMemory{0x10000, 0x20001}, 1, ErrStackMemory, "0x20001 is 1 mod 16"},
		"small":     {StackMemory{0x10000, 0x10000 + MinThreadStack - 16}, 1, ErrStackMemory, "4080 bytes, but must have at least 4096"},
		"no entry":  {StackMemory{0x10000, 0x20000}, 0, ErrEntry, "address of the code is 0"},
	} {
		if _, err := StartThread(c.stack, c.entry, 0); !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRefusedCloneNamesTheLimitsAndFreesTheStack(t *testing.T) {
	stack := mappedStack(t, 64<<10)
	cloneWith(t, unix.EAGAIN, func() {
		_, err := StartThread(stack, BodyReturn(), 0)
		var limit *ThreadLimitError
		if !errors.As(err, &limit) || !errors.Is(err, ErrThreadLimit) || !errors.Is(err, unix.EAGAIN) || limit.Have < 1 {
			t.Fatalf("EAGAIN: %v", err)
		}
		for _, name := range []string{"RLIMIT_NPROC is ", "kernel.pid_max is ", "kernel.threads-max is ", "this process has "} {
			if !strings.Contains(err.Error(), name) {
				t.Errorf("EAGAIN: %q does not say %q", err, name)
			}
		}
	})
	cloneWith(t, unix.EPERM, func() {
		if _, err := StartThread(stack, BodyReturn(), 0); !errors.Is(err, unix.EPERM) || errors.Is(err, ErrThreadLimit) {
			t.Errorf("EPERM: %v", err)
		}
	})
	join(t, start(t, stack, BodyReturn(), 0))
}

// A handler on such a thread would find no g and no signal stack, and end the
// process. The threads spin or sleep, so they are where a signal to
// the process would be delivered.
func TestNoSignalEverReachesAThread(t *testing.T) {
	received := make(chan os.Signal, 1)
	signal.Notify(received, syscall.SIGUSR1)
	defer signal.Stop(received)
	w := new(waiting)
	var all []*KernelThread
	for range 8 {
		all = append(all, start(t, mappedStack(t, MinThreadStack), bodyWaitAddress(), addressOf(w)))
	}
	spin := start(t, mappedStack(t, MinThreadStack), bodySpinAddress(), addressOf(w))
	all = append(all, spin)
	w.await(9)
	for range 2000 {
		syscall.Kill(os.Getpid(), syscall.SIGUSR1)
		syscall.Kill(os.Getpid(), syscall.SIGURG)
	}
	// To the threads alone: stays pending until they end.
	for _, thread := range all {
		if err := unix.Tgkill(os.Getpid(), thread.TID(), unix.SIGUSR1); err != nil {
			t.Error(err)
		}
	}
	<-received
	status, err := os.ReadFile("/proc/self/task/" + strconv.Itoa(spin.TID()) + "/status")
	if err != nil {
		t.Error(err)
	}
	if want := "SigPnd:\t" + "0000000000000200"; !strings.Contains(string(status), want) {
		t.Errorf("there is no %q in:\n%s", want, status)
	}
	w.release()
	for _, thread := range all {
		join(t, thread)
	}
}

func TestThreadsUnderStress(t *testing.T) {
	defer disturb(t)()
	duration := time.Second
	if testing.Short() {
		duration = 200 * time.Millisecond
	}
	var stop atomic.Bool
	time.AfterFunc(duration, func() { stop.Store(true) })
	var made atomic.Int64
	counter := new(uint64)
	var wg sync.WaitGroup
	for range 4 {
		stacks := []StackMemory{mappedStack(t, 16<<10), mappedStack(t, MinThreadStack), mappedStack(t, 1<<20)}
		wg.Go(func() {
			for !stop.Load() {
				var burst []*KernelThread
				for _, stack := range stacks {
					thread, err := StartThread(stack, BodyCount(), addressOf(counter))
					if err != nil {
						t.Error(err)
						return
					}
					burst = append(burst, thread)
				}
				for _, thread := range burst {
					join(t, thread)
				}
				made.Add(int64(len(burst)))
			}
		})
	}
	wg.Wait()
	if got := int64(atomic.LoadUint64(counter)); got != made.Load() || got == 0 {
		t.Errorf("%d threads were made, %d have run", made.Load(), got)
	}
}

// The only fault that can be told from a silent end is the exit status.
func TestFaultOnAThreadEndsTheProcess(t *testing.T) {
	exit, out := dies(t, func() {
		join(t, start(t, mappedStack(t, 64<<10), bodyDiveAddress(), 0))
	})
	if status, ok := exit.Sys().(syscall.WaitStatus); !ok || !status.Signaled() || status.Signal() != syscall.SIGSEGV {
		t.Errorf("%v\n%s", exit, out)
	}
}

// As another user than root, in a process of its own, until the kernel refuses.
func TestLimitOfTheUserIsReported(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root, to become another user")
	}
	exit, out := dies(t, func() {
		const uid, limit = 47_113, 60 // nobody's user
		w := new(waiting)
		var stacks []StackMemory
		for range limit {
			stacks = append(stacks, mappedStack(t, MinThreadStack))
		}
		join(t, start(t, mappedStack(t, MinThreadStack), BodyReturn(), 0))
		if syscall.Setgid(uid) != nil || syscall.Setuid(uid) != nil {
			os.Exit(4)
		}
		// Some room for what Go itself might want.
		if err := unix.Setrlimit(unix.RLIMIT_NPROC, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
			t.Fatal(err)
		}
		for _, stack := range stacks {
			if _, err := StartThread(stack, bodyWaitAddress(), addressOf(w)); err != nil {
				os.Stdout.WriteString(err.Error())
				os.Exit(3)
			}
		}
	})
	if exit.ExitCode() == 4 {
		t.Skip("this root may not become another user")
	}
	if exit.ExitCode() != 3 || !strings.Contains(out, "RLIMIT_NPROC is 60") || !strings.Contains(out, "resource temporarily unavailable") {
		t.Errorf("%v\n%s", exit, out)
	}
}

func BenchmarkStartThreadAndJoin(b *testing.B) {
	stack := mappedStack(b, 64<<10)
	for b.Loop() {
		join(b, start(b, stack, BodyReturn(), 0))
	}
}
