package runtime_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"greenthread/internal/builds/smoke"
	green "greenthread/runtime"
)

// Surroundings in which a program may find itself. Each is made in a child process,
// which then does a little of everything.

const hostileVariable = "GREENTHREAD_TEST_HOSTILE"

// A hostility is made by make before the first use of this module; after, if there is
// one, comes when it is in use. The backend must be the native one, or the portable one
// for a reason that contains why.
type hostility struct {
	make, after func() error
	why         string
}

var hostilities = map[string]hostility{
	"no guard advice, EINVAL": {make: func() error { return refuseAdvice(unix.EINVAL) }},
	"no guard advice, EPERM":  {make: func() error { return refuseAdvice(unix.EPERM) }},
	"no futex but wait and wake": {make: func() error {
		// Everything above FUTEX_WAKE, whatever the flags.
		return seccomp(
			bpfLoad(0), bpfJump(unix.BPF_JEQ, unix.SYS_FUTEX, 0, 4),
			bpfLoad(24), bpfAnd(127), bpfJump(unix.BPF_JGT, 1, 0, 1),
			bpfEnd(unix.SECCOMP_RET_ERRNO|uint32(unix.ENOSYS)), bpfEnd(unix.SECCOMP_RET_ALLOW))
	}},
	"no sigaction": {why: "cannot install the handler", make: func() error {
		return seccomp( // if the second argument, the new handler, is not nil
			bpfLoad(0), bpfJump(unix.BPF_JEQ, unix.SYS_RT_SIGACTION, 0, 3),
			bpfLoad(24), bpfJump(unix.BPF_JEQ, 0, 1, 0),
			bpfEnd(unix.SECCOMP_RET_ERRNO|uint32(unix.EPERM)), bpfEnd(unix.SECCOMP_RET_ALLOW))
	}},
	"RLIMIT_AS": {make: func() error {
		var pages uint64
		text, err := os.ReadFile("/proc/self/statm")
		if err == nil {
			_, err = fmt.Sscan(string(text), &pages)
		}
		if err != nil {
			return err
		}
		return setLimit(unix.RLIMIT_AS, pages*uint64(os.Getpagesize())+512<<20)
	}},
	"RLIMIT_DATA": {make: func() error { return setLimit(unix.RLIMIT_DATA, 1<<30) }},
	// Small limits of the stack are for a program that begins, and one CPU for the count
	// of them: so the child becomes another one.
	"RLIMIT_STACK": {make: func() error {
		return again(func() error { return setLimit(unix.RLIMIT_STACK, 256<<10) })
	}},
	"one CPU": {make: func() error {
		return again(func() error {
			var all, one unix.CPUSet
			if err := unix.SchedGetaffinity(0, &all); err != nil {
				return err
			}
			for cpu := range len(all) * 64 {
				if all.IsSet(cpu) {
					one.Set(cpu)
					break
				}
			}
			return unix.SchedSetaffinity(0, &one)
		})
	}},
	"signal.Notify before": {make: func() error { notify(); return nil }},
	"signal.Notify after":  {after: func() error { notify(); return nil }},
	"signal.Reset after": {after: func() error {
		notify()
		signal.Reset()
		return nil
	}},
	"signal.Ignore after": {after: func() error {
		signal.Ignore(faultSignals...)
		return nil
	}},
	"signal.Ignore and Notify after": {after: func() error { // which puts Go's own handler of SIGURG in place
		ours := handlerOf(unix.SIGURG)
		signal.Ignore(faultSignals...)
		notify()
		if green.Backend().Native && handlerOf(unix.SIGURG) == ours {
			return errors.New("Go leaves the handler alone") // a test of nothing
		}
		return green.Run(func() {
			for start := time.Now(); handlerOf(unix.SIGURG) != ours; green.Yield() {
				if time.Since(start) > 20*time.Second {
					panic("the handler is not put back")
				}
			}
		})
	}},
	"signal.Ignore before": {why: "no handler of Go's for urgent I/O condition", make: func() error {
		signal.Ignore(faultSignals...)
		return nil
	}},
	"programs are started": {after: startPrograms},
	"10,000 signals a second": {after: func() error {
		c := make(chan os.Signal, 1)
		signal.Notify(c, unix.SIGUSR1)
		go func() {
			for i := 0; ; i++ {
				sig := unix.SIGUSR1
				if i%2 == 0 {
					sig = unix.SIGURG
				}
				_ = unix.Kill(unix.Getpid(), sig)
				pause := unix.NsecToTimespec(100_000)
				_ = unix.Nanosleep(&pause, nil)
			}
		}()
		return nil
	}},
}

var faultSignals = []os.Signal{unix.SIGSEGV, unix.SIGBUS, unix.SIGFPE, unix.SIGURG, unix.SIGTRAP}

// handlerOf returns the handler of sig that the kernel knows.
func handlerOf(sig unix.Signal) uintptr {
	var action [4]uintptr // the handler is the first field
	if _, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig), 0, uintptr(unsafe.Pointer(&action)), 8, 0, 0); errno != 0 {
		panic(errno)
	}
	return action[0]
}

func notify() { signal.Notify(make(chan os.Signal, 1), faultSignals...) }

func init() {
	roles["hostile"] = func() {
		name := os.Getenv(hostileVariable)
		h := hostilities[name]
		if h.make != nil {
			if err := h.make(); err != nil {
				fmt.Println("impossible here:", err)
				return
			}
		}
		rounds := 1
		if h.after != nil {
			if _, err := smoke.Run(); err != nil {
				fmt.Println("before:", err)
				os.Exit(1)
			}
			if err := h.after(); err != nil {
				fmt.Println("impossible here:", err)
				return
			}
			rounds = 2
		}
		for range rounds {
			backend, err := smoke.Run()
			if err != nil {
				fmt.Println(err)
				os.Exit(1)
			}
			fmt.Println("backend:", backend)
		}
	}
}

func TestHostileSurroundings(t *testing.T) {
	for name, h := range hostilities {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			output, err := runChild(t, childRole("hostile", hostileVariable+"="+name))
			if err != nil {
				t.Fatalf("%v\n%s", err, output)
			}
			if strings.Contains(output, "impossible here:") {
				t.Skip(output)
			}
			want := "backend: native\n"
			switch {
			case !green.Backend().Native:
				want = "backend: portable: "
			case h.why != "":
				want = h.why
			}
			if !strings.Contains(output, want) {
				t.Errorf("%q is not in:\n%s", want, output)
			}
		})
	}
}

// startPrograms starts programs from green threads, from a coroutine and by ForkExec,
// while others switch.
func startPrograms() error {
	path, err := exec.LookPath("true")
	if err != nil {
		return err
	}
	var stop atomic.Bool
	var group sync.WaitGroup
	defer group.Wait()
	defer stop.Store(true)
	for range 2 {
		group.Add(1)
		if _, err := green.Go(func() {
			defer group.Done()
			for !stop.Load() {
				green.Yield()
			}
		}); err != nil {
			return err
		}
	}
	failures := make(chan error, 40)
	for range 10 {
		group.Add(2)
		if _, err := green.Go(func() { defer group.Done(); failures <- exec.Command(path).Run() }); err != nil {
			return err
		}
		if _, err := green.Go(func() {
			defer group.Done()
			pid, err := syscall.ForkExec(path, []string{path}, &syscall.ProcAttr{})
			if err == nil {
				_, err = syscall.Wait4(pid, nil, 0, nil)
			}
			failures <- err
		}); err != nil {
			return err
		}
		c := green.NewCoroutine(func(y green.Yielder[int, error], in int) error {
			y.Yield(exec.Command(path).Run())
			return exec.Command(path).Run()
		})
		for range 2 {
			failure, err := c.Resume(0)
			if err != nil {
				return err
			}
			failures <- failure
		}
	}
	for range cap(failures) {
		if err := <-failures; err != nil {
			panic(err)
		}
	}
	return nil
}

// again makes this process a new program, in surroundings that prepare has made.
func again(prepare func() error) error {
	const done = "GREENTHREAD_TEST_AGAIN"
	if os.Getenv(done) != "" {
		return nil
	}
	runtime.LockOSThread() // what prepare does to the kernel thread, Exec takes along
	defer runtime.UnlockOSThread()
	if err := prepare(); err != nil {
		return err
	}
	program := green.Command(executable(), os.Args[1:]...)
	return syscall.Exec(program.Path, program.Args, append(os.Environ(), done+"=1"))
}

func setLimit(which int, value uint64) error {
	return unix.Setrlimit(which, &unix.Rlimit{Cur: value, Max: value})
}

func refuseAdvice(errno unix.Errno) error {
	const guardInstall, guardRemove = 102, 103
	return seccomp(
		bpfLoad(0), bpfJump(unix.BPF_JEQ, unix.SYS_MADVISE, 0, 4),
		bpfLoad(32), bpfJump(unix.BPF_JEQ, guardInstall, 1, 0), bpfJump(unix.BPF_JEQ, guardRemove, 0, 1),
		bpfEnd(unix.SECCOMP_RET_ERRNO|uint32(errno)), bpfEnd(unix.SECCOMP_RET_ALLOW))
}

// What a filter is made of. The fields of struct seccomp_data: the number of the system
// call is at 0, its arguments are eight bytes each from 16 on.

func bpfLoad(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

func bpfAnd(k uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: k}
}

func bpfJump(how uint16, k uint32, yes, no uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | how | unix.BPF_K, Jt: yes, Jf: no, K: k}
}

func bpfEnd(action uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: action}
}

// seccomp puts a filter on all threads of this process.
func seccomp(filter ...unix.SockFilter) error {
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&program))); errno != 0 {
		return errno
	}
	return nil
}

// TestStrictOvercommit needs a machine that counts every page. What it is told here
// is what a program may rely on; RLIMIT_DATA above is the nearest that a process can do
// to itself.
func TestStrictOvercommit(t *testing.T) {
	mode, err := os.ReadFile("/proc/sys/vm/overcommit_memory")
	if err != nil {
		t.Skip(err)
	}
	if !bytes.HasPrefix(mode, []byte("2")) {
		t.Skipf("vm.overcommit_memory is %s here, and it is not a test's to change", bytes.TrimSpace(mode))
	}
	if _, err := smoke.Run(); err != nil {
		t.Error(err)
	}
}

// TestDebugger has gdb attach to a process with green threads, and list them by the
// script that the documentation names.
func TestDebugger(t *testing.T) {
	needNative(t)
	gdb, err := exec.LookPath("gdb")
	if err != nil {
		t.Skip("there is no gdb here")
	}
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip(err)
	}
	if green.Emulated() {
		t.Skip("the emulator is what gdb would see")
	}
	program := t.TempDir() + "/program" // go test leaves out what a debugger reads
	if out, err := exec.Command(goTool, "build", "-o", program, "./testdata/threads").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(program)
	ready, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	var line string
	if _, err := fmt.Fscan(ready, &line); err != nil || line != "ready" {
		t.Fatal(line, err)
	}
	time.Sleep(10 * time.Millisecond)
	root, err := exec.Command(goTool, "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	safe := "set auto-load safe-path " + strings.TrimSpace(string(root))
	out, err := runChild(t, exec.Command(gdb, "-nx", "-batch", "-iex", safe, "-p", fmt.Sprint(cmd.Process.Pid),
		"-ex", "source ../docs/greenthreads.py", "-ex", "info greenthreads", "-ex", "info goroutines"))
	if err != nil || strings.Contains(out, "ptrace: Operation not permitted") {
		t.Skipf("gdb may not attach here: %v\n%s", err, out)
	}
	for _, want := range []string{"alice", "bob", "runtime.Park", "main.wait"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in:\n%s", want, out)
		}
	}
	if !strings.Contains(out, "runtime.gopark") {
		t.Errorf("no goroutines in:\n%s", out)
	}
}
