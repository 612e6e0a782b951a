//go:build linux && amd64

package disasm

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"greenthread/asm"
	green "greenthread/runtime"
)

// When this variable is set, the test binary is not a test but resumes a
// coroutine for the test that steps through it.
const childVariable = "DISASM_BE_STEPPED"

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		beStepped()
	}
	os.Exit(m.Run())
}

// mark is the signal by which the child says that it is about to resume. The
// tracer keeps it to itself.
const mark = unix.SIGUSR1

// roundTrips is how many follow the mark. In some of them Go will ask for a
// preemption, and Resume goes another way.
const roundTrips = 20

// beStepped is the child. It is one goroutine on one P, without collections, so
// that nothing comes in between.
func beStepped() {
	debug.SetGCPercent(-1)
	c := green.NewCoroutine(func(y green.Yielder[int, int], in int) int {
		for {
			in = y.Yield(in)
		}
	})
	for range 10 {
		if _, err := c.Resume(0); err != nil {
			panic(err)
		}
	}
	fmt.Println(asm.SwapContextAddress()) // where this process has its code
	for {
		if err := unix.Tgkill(unix.Getpid(), unix.Gettid(), mark); err != nil {
			panic(err)
		}
		for i := range roundTrips {
			_, _ = c.Resume(i)
		}
	}
}

// TestDecodedPathIsTheOneThatIsExecuted steps through real switches.
func TestDecodedPathIsTheOneThatIsExecuted(t *testing.T) {
	if !asm.ShortWay {
		t.Skip("the race detector's build goes another way")
	}
	if err := asm.Check(); err != nil {
		t.Skip(err)
	}
	r, err := Look()
	if err != nil || len(r.Coroutine) == 0 {
		t.Fatal(err, r.Notes)
	}
	var want []uint64
	ours := map[uint64]bool{} // entries of the functions on the path
	for _, p := range r.Coroutine {
		for _, in := range p.Code {
			want = append(want, in.entry+in.Offset)
			ours[in.entry] = true
		}
	}
	pcs, slide := stepped(t, 20_000)
	var got []uint64
	for _, pc := range pcs {
		pc -= slide
		if f := runtime.FuncForPC(uintptr(pc)); f != nil && ours[uint64(f.Entry())] {
			got = append(got, pc)
		}
	}
	trips := 0
	for i := 0; i+len(want) <= len(got); {
		if !slices.Equal(got[i:i+len(want)], want) {
			i++
			continue
		}
		trips++
		i += len(want)
	}
	t.Logf("%d of %d round trips were executed as decoded", trips, roundTrips)
	if trips == 0 {
		for i := range min(len(want), len(got)) {
			if want[i] != got[i] {
				t.Errorf("the first difference is at %s, where the processor was at %s", place(want[i]), place(got[i]))
				break
			}
		}
	}
}

// stepped starts the child, steps through it from its first mark on and returns
// the addresses of the instructions it has executed, and how much higher it has
// its code than this process.
func stepped(t *testing.T, steps int) (pcs []uint64, slide uint64) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childVariable+"=1", "GOMAXPROCS=1", "GODEBUG=asyncpreemptoff=1", "GREENTHREAD_BACKEND=")
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	runtime.LockOSThread() // the tracer is a kernel thread
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		t.Skip("this system does not let one process trace another:", err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		for err := error(nil); err == nil || err == unix.EINTR; { // its threads, too
			_, err = unix.Wait4(-1, nil, unix.WALL, nil)
		}
	}()
	watchdog := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	defer watchdog.Stop()

	wait := func(id int) (tid int, status unix.WaitStatus) {
		tid, err := unix.Wait4(id, &status, unix.WALL, nil)
		if err != nil || status.Exited() || status.Signaled() {
			t.Fatalf("the child is gone: %v, status %#x", err, status)
		}
		return tid, status
	}
	first, _ := wait(cmd.Process.Pid)
	if err := unix.PtraceSetOptions(first, unix.PTRACE_O_TRACECLONE|unix.PTRACE_O_EXITKILL); err != nil {
		t.Fatal(err)
	}
	tid := first
	for next := unix.Signal(0); ; {
		if err := unix.PtraceCont(tid, int(next)); err != nil {
			t.Fatal(err)
		}
		var status unix.WaitStatus
		tid, status = wait(-1)
		if next = status.StopSignal(); next == mark {
			break
		}
		if next == unix.SIGTRAP || next == unix.SIGSTOP { // a new thread
			next = 0
		}
	}
	var address uint64
	if _, err := fmt.Fscan(bufio.NewReader(out), &address); err != nil {
		t.Fatal(err)
	}
	for range steps {
		if err := unix.PtraceSingleStep(tid); err != nil {
			t.Fatal(err)
		}
		if _, status := wait(tid); status.StopSignal() == mark {
			break // the next one: these round trips are over
		}
		var regs unix.PtraceRegs
		if err := unix.PtraceGetRegs(tid, &regs); err != nil {
			t.Fatal(err)
		}
		pcs = append(pcs, regs.Rip)
	}
	return pcs, address - uint64(asm.SwapContextAddress())
}
