//go:build linux && (amd64 || arm64)

package asm

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mappedStack maps a stack with a guard page below it, until the test ends.
func mappedStack(t testing.TB, size uintptr) StackMemory {
	t.Helper()
	const guard = 64 << 10
	p, err := unix.MmapPtr(-1, 0, nil, guard+size, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE|unix.MAP_STACK)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.MunmapPtr(p, guard+size); err != nil {
			t.Error(err)
		}
	})
	lo := uintptr(p) + guard
	if err := unix.Mprotect(unsafe.Slice(at[byte](lo), size), unix.PROT_READ|unix.PROT_WRITE); err != nil {
		t.Fatal(err)
	}
	return StackMemory{Lo: lo, Hi: lo + size}
}

// bytesOf gives access to the memory of a stack.
func bytesOf(s StackMemory) []byte { return unsafe.Slice(at[byte](s.Lo), s.Size()) }

// addressOf is how native code gets to know a Go variable. It moves that to the
// heap: a goroutine's stack may be copied while native code has the address.
func addressOf[T any](p *T) uintptr {
	if onHeap {
		heap = p
	}
	return uintptr(unsafe.Pointer(p))
}

var (
	onHeap bool // never set, but the compiler does not know
	heap   any
)

// disturb keeps the collector and Go's preemption busy, and lets the process
// be hit by a storm of SIGURG, until the function that it returns is called.
func disturb(t testing.TB) (stop func()) {
	t.Helper()
	end := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		old := debug.SetGCPercent(5)
		defer debug.SetGCPercent(old)
		var keep [64][]*int
		for i := 0; ; i++ {
			select {
			case <-end:
				return
			default:
				keep[i%len(keep)] = append(make([]*int, 0, 64), new(int))
				if i%64 == 0 {
					runtime.GC()
				}
			}
		}
	})
	wg.Go(func() {
		for {
			select {
			case <-end:
				return
			case <-time.After(20 * time.Microsecond):
				syscall.Kill(os.Getpid(), syscall.SIGURG)
			}
		}
	})
	return func() { close(end); wg.Wait() }
}

// emulator returns the command that runs this program, "" for none: qemu-aarch64, as
// CONTRIBUTING.md tells.
func emulator() string { return os.Getenv("GREENTHREAD_TEST_EMULATOR") }

// inChild is set in a process that runs one test only, to its bitter end.
const inChild = "GREENTHREAD_ASM_NATIVE_CHILD"

// dies runs this test again in a process of its own, where dies runs fatal,
// and returns how that ended and what it wrote.
func dies(t *testing.T, fatal func()) (*exec.ExitError, string) {
	t.Helper()
	if os.Getenv(inChild) != "" {
		fatal()
		os.Exit(0)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+strings.ReplaceAll(t.Name(), "/", "$/^")+"$", "-test.count=1")
	if e := emulator(); e != "" {
		cmd = exec.Command(e, append([]string{os.Args[0]}, cmd.Args[1:]...)...)
	}
	cmd.Env = append(os.Environ(), inChild+"=1")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		t.Fatalf("the child has not died: %v\n%s", err, out)
	}
	return exit, string(out)
}
