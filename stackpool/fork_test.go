//go:build linux

package stackpool

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Programs are started while stacks are live, put back, and given back to the kernel
// by others. They inherit neither memory nor descriptors, and nobody's stack
// changes.
func TestProgramsAreStartedWhileStacksAreLive(t *testing.T) {
	if os.Getenv(childVariable) == t.Name() {
		files, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if to, err := os.Readlink("/proc/self/fd/" + f.Name()); err == nil && strings.Contains(to, "pagemap") {
				t.Errorf("inherited %s: %s", f.Name(), to)
			}
		}
		for _, m := range readMaps(t) {
			if strings.Contains(m.line, os.Getenv("GREENTHREAD_STACKPOOL_ARENA")) {
				t.Errorf("inherited %s", m.line)
			}
		}
		return
	}
	for _, kind := range kinds(t) {
		p := newTest(t, Config{GuardKind: kind, Policy: DiscardAll()})
		live := get(t, p, 20)
		for _, s := range live {
			fill(s)
		}
		var start, end uintptr
		for a := range p.arenas() {
			start, end = a.base, a.base+a.length
		}
		stop := make(chan struct{})
		var others sync.WaitGroup
		others.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				s, err := p.Get()
				if err != nil {
					t.Error(err)
					return
				}
				fill(s)
				if _, err := s.HighWater(); err != nil { // it opens a file, which must not be inherited
					t.Error(err)
				}
				if err := p.Put(s); err != nil {
					t.Error(err)
				}
			}
		})
		for range 10 {
			cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
			cmd.Env = append(os.Environ(), childVariable+"="+t.Name(), fmt.Sprintf("GREENTHREAD_STACKPOOL_ARENA=%x-%x", start, end))
			if out, err := cmd.CombinedOutput(); errors.Is(err, unix.ENOEXEC) {
				t.Log(err) // an emulator
			} else if err != nil {
				t.Errorf("%v: %v\n%s", kind, err, out)
			}
		}
		close(stop)
		others.Wait()
		for _, s := range live {
			if b := s.Bytes(); b[0] != byte(s.id) || b[len(b)-1] != byte(s.id) {
				t.Errorf("%v was changed", s)
			}
			checkBounds(t, s)
		}
		put(t, p, live...)
	}
}

// What a fork without exec leaves, as C code may make one: the child has the stacks,
// with their contents, its own copies of them, and their guards. (So a fork in code
// that runs on such a stack works.)
func TestAForkedChildHasItsOwnStacksAndTheirGuards(t *testing.T) {
	if underRace {
		t.Skip("the race detector does not survive a fork")
	}
	for _, kind := range kinds(t) {
		p := newTest(t, Config{GuardKind: kind})
		stacks := get(t, p, 2)
		s := stacks[0]
		fill(s)
		var pipe [2]int
		if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
			t.Fatal(err)
		}
		status := forkAndTry(uintptr(pipe[1]), s.Bottom(), s.Top())
		unix.Close(pipe[0])
		unix.Close(pipe[1])
		if status < 0 || unix.WaitStatus(status).ExitStatus() != 0 {
			t.Errorf("%v: the child ended with status %#x", kind, status)
		}
		if b := s.Bytes(); b[0] != byte(s.id) || b[len(b)-1] != byte(s.id) {
			t.Errorf("%v: the child has changed the parent's stack", kind)
		}
		put(t, p, stacks...)
	}
}

// forkAndTry forks, and returns how the child ended, as wait4 tells it, or -1. The
// child exits with 0 if it can read and write the stack from bottom to top, and
// nothing below and above. It makes raw system calls only: of Go's kernel threads it
// has this one.
//
//go:norace
//go:nosplit
func forkAndTry(fd, bottom, top uintptr) int {
	pid, _, errno := syscall.RawSyscall6(syscall.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	if errno != 0 {
		return -1
	}
	if pid != 0 {
		var status int32
		for {
			_, _, errno := syscall.RawSyscall6(syscall.SYS_WAIT4, pid, uintptr(unsafe.Pointer(&status)), 0, 0, 0, 0)
			if errno == 0 {
				return int(status)
			} else if errno != unix.EINTR {
				return -1
			}
		}
	}
	code := uintptr(0)
	first, last := (*byte)(foreign(bottom)), (*byte)(foreign(top-1))
	if *first != 1 || *last != 1 {
		code |= 1 // not what the parent has written
	}
	*first, *last = 2, 2
	for i, addr := range [...]uintptr{bottom, top - 1, bottom - 1, top} {
		_, _, errno := syscall.RawSyscall(syscall.SYS_WRITE, fd, addr, 1)
		if (errno == unix.EFAULT) != (i >= 2) {
			code |= 2 << i
		}
	}
	syscall.RawSyscall(syscall.SYS_EXIT_GROUP, code, 0, 0)
	return -1
}
