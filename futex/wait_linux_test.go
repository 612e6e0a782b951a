package futex_test

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"greenthread/futex"
)

var scopes = []futex.Scope{futex.Private, futex.Shared}

func onEachScope(t *testing.T, test func(t *testing.T, scope futex.Scope)) {
	onEachKernel(t, func(t *testing.T) {
		for _, scope := range scopes {
			t.Run(scope.String(), func(t *testing.T) { test(t, scope) })
		}
	})
}

func TestWaitReturnsAtOnceOnAnotherValue(t *testing.T) {
	onEachScope(t, func(t *testing.T, scope futex.Scope) {
		word := uint32(7)
		if err := futex.Wait(&word, 8, scope); err != nil {
			t.Error(err)
		}
		if err := futex.WaitUntil(&word, 8, 0, scope); err != nil {
			t.Errorf("with a deadline that has passed: %v", err)
		}
	})
}

func TestWakeWakesAsManyAsAsked(t *testing.T) {
	onEachScope(t, func(t *testing.T, scope futex.Scope) {
		var word uint32
		var all sync.WaitGroup
		const waiters = 5
		for range waiters {
			all.Go(func() {
				for atomic.LoadUint32(&word) == 0 {
					if err := futex.Wait(&word, 0, scope); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		// Nobody who sleeps is woken before the word changes; who is not asleep by then never will be.
		time.Sleep(5 * time.Millisecond)
		atomic.StoreUint32(&word, 1)
		woken := 0
		for _, n := range []int{0, -1, 1, 2, futex.WakeAll} {
			got, err := futex.Wake(&word, n, scope)
			if err != nil {
				t.Fatal(err)
			}
			if got > max(n, 0) {
				t.Errorf("asked for %d, woke %d", n, got)
			}
			woken += got
		}
		all.Wait()
		if woken > waiters {
			t.Errorf("woke %d of %d", woken, waiters)
		}
	})
}

func TestWakeOfNobodyWakesNobody(t *testing.T) {
	onEachScope(t, func(t *testing.T, scope futex.Scope) {
		woken, err := futex.Wake(new(uint32), futex.WakeAll, scope)
		if woken != 0 || err != nil {
			t.Errorf("got %d, %v", woken, err)
		}
	})
}

func TestWaitUntilKeepsToItsDeadline(t *testing.T) {
	onEachScope(t, func(t *testing.T, scope futex.Scope) {
		word := new(uint32)
		for _, d := range []time.Duration{-time.Hour, 0, time.Microsecond, 5 * time.Millisecond} {
			deadline := futex.After(d)
			err := waitOut(word, deadline, scope)
			if err != futex.ErrTimeout || !os.IsTimeout(err) {
				t.Errorf("got %v", err)
			}
			if left := deadline.Until(); left > 0 {
				t.Errorf("returned %v before the deadline", left)
			}
		}
		if err := futex.WaitUntil(word, 0, -1<<63, scope); err != futex.ErrTimeout {
			t.Errorf("the earliest Deadline: got %v", err)
		}
	})
}

// waitOut waits through wake-ups for no reason.
func waitOut(word *uint32, deadline futex.Deadline, scope futex.Scope) (err error) {
	for err == nil {
		err = futex.WaitUntil(word, 0, deadline, scope)
	}
	return err
}

// Ten thousand signals a second cut a relative timeout short or, started over, stretch it for ever. The upper end
// is watched by the watchdog only.
func TestSignalsLeaveTheDeadlineAlone(t *testing.T) {
	onEachScope(t, func(t *testing.T, scope futex.Scope) {
		word := new(uint32)
		shots := underFire(func() {
			deadline := futex.After(60 * time.Millisecond)
			spurious := 0
			err := futex.WaitUntil(word, 0, deadline, scope)
			for ; err == nil; spurious++ {
				err = futex.WaitUntil(word, 0, deadline, scope)
			}
			if err != futex.ErrTimeout {
				t.Errorf("got %v", err)
			}
			if spurious > 2 { // they are allowed, but not one for each signal
				t.Errorf("WaitUntil returned %d times before the deadline", spurious)
			}
			if left := deadline.Until(); left > 0 {
				t.Errorf("returned %v before the deadline", left)
			}
		})
		t.Logf("%d signals", shots)
	})
}

func TestSignalsDoNotEndAWait(t *testing.T) {
	onEachScope(t, func(t *testing.T, scope futex.Scope) {
		var word uint32
		time.AfterFunc(60*time.Millisecond, func() {
			atomic.StoreUint32(&word, 1)
			futex.Wake(&word, 1, scope)
		})
		var waits int
		underFire(func() {
			for ; atomic.LoadUint32(&word) == 0; waits++ {
				if err := futex.Wait(&word, 0, scope); err != nil {
					t.Error(err)
				}
			}
		})
		if waits > 2 { // spurious wake-ups are allowed, but not one for each signal
			t.Errorf("Wait returned %d times for one Wake", waits)
		}
	})
}

func TestBadAddressesAreNamed(t *testing.T) {
	onEachKernel(t, func(t *testing.T) {
		var words [2]uint32
		odd := (*uint32)(unsafe.Add(unsafe.Pointer(&words), 2))
		memory, err := unix.Mmap(-1, 0, os.Getpagesize(), unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Munmap(memory)
		dark := (*uint32)(unsafe.Pointer(unsafe.SliceData(memory)))

		for _, c := range []struct {
			addr  *uint32
			wants []string
		}{
			{nil, []string{"nil", "4"}},
			{odd, []string{fmt.Sprintf("%p", odd), "aligned", "4"}},
		} {
			_, wake := futex.Wake(c.addr, 1, futex.Private)
			for _, err := range []error{
				futex.Wait(c.addr, 0, futex.Private),
				futex.WaitUntil(c.addr, 0, 0, futex.Shared),
				wake,
			} {
				if !errors.Is(err, futex.ErrAddress) {
					t.Errorf("address %p: got %v", c.addr, err)
					continue
				}
				for _, want := range c.wants {
					if !strings.Contains(err.Error(), want) {
						t.Errorf("%q does not say %q", err, want)
					}
				}
			}
		}
		err = futex.Wait(dark, 0, futex.Private)
		if !errors.Is(err, futex.ErrAddress) || !errors.Is(err, unix.EFAULT) {
			t.Errorf("memory that cannot be read: got %v", err)
		}
	})
}

// A local variable that is waited on lives on the heap: every run of the function allocates it.
func TestAWordIsNeverOnAStack(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	for name, use := range map[string]func(){
		"Wake":      func() { var word uint32; futex.Wake(&word, 0, futex.Private) },
		"Wait":      func() { var word uint32; futex.Wait(&word, 1, futex.Private) },
		"WaitUntil": func() { var word uint32; futex.WaitUntil(&word, 1, 0, futex.Private) },
	} {
		if n := testing.AllocsPerRun(100, use); n != 1 {
			t.Errorf("%s: %v allocations, want 1", name, n)
		}
	}
}

// One page of memory, mapped at two addresses: to Shared it is one word, to Private it is two.
func TestScopesDifferOnSharedMemory(t *testing.T) {
	watchdog(t)
	fd, err := unix.MemfdCreate("futex-test", unix.MFD_CLOEXEC)
	if err != nil {
		t.Skip(err)
	}
	defer unix.Close(fd)
	if err := unix.Ftruncate(fd, int64(os.Getpagesize())); err != nil {
		t.Fatal(err)
	}
	view := func() *uint32 {
		memory, err := unix.Mmap(fd, 0, os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { unix.Munmap(memory) })
		return (*uint32)(unsafe.Pointer(unsafe.SliceData(memory)))
	}
	mine, theirs := view(), view()

	for _, scope := range scopes {
		tid := make(chan int, 1)
		done := make(chan struct{})
		go func() {
			defer close(done)
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			tid <- unix.Gettid()
			for atomic.LoadUint32(mine) == 0 {
				futex.Wait(mine, 0, scope)
			}
		}()
		waiter := <-tid
		eventually(func() bool { return sleepsOn(waiter, mine) })
		atomic.StoreUint32(theirs, 1)
		woken, err := futex.Wake(theirs, 1, scope)
		if err != nil {
			t.Fatal(err)
		}
		if want := int(scope); woken != want { // Private is 0, Shared is 1
			t.Errorf("%v: woke %d, want %d", scope, woken, want)
		}
		futex.Wake(mine, 1, scope)
		<-done
		atomic.StoreUint32(mine, 0)
	}
}

// sleepsOn reports whether the thread sleeps in futex(2) on this word, and not on one of the Go runtime's.
func sleepsOn(tid int, word *uint32) bool {
	call, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/syscall", tid))
	_, arguments, _ := strings.Cut(string(call), " ") // in an emulator, the number is that of its own machine
	return err == nil && strings.HasPrefix(arguments, fmt.Sprintf("%p ", word))
}

func TestTheProbeRunsOnce(t *testing.T) {
	watchdog(t)
	futex.ForgetProbe()
	probes := 0
	defer futex.Intercept(func(uint32) unix.Errno { probes++; return 0 })()
	for range 10 {
		futex.Wake(new(uint32), 1, futex.Private)
	}
	if probes != 11 {
		t.Errorf("%d system calls for ten wakes and a probe", probes)
	}
}

func TestAnyRefusalOfPrivateIsRespected(t *testing.T) {
	watchdog(t)
	for _, errno := range []unix.Errno{unix.ENOSYS, unix.EPERM, unix.EINVAL} {
		restore := futex.Intercept(func(op uint32) unix.Errno {
			if op&futex.FlagPrivate != 0 {
				return errno
			}
			return 0
		})
		futex.ForgetProbe()
		if _, err := futex.Wake(new(uint32), 1, futex.Private); err != nil {
			t.Errorf("%v: got %v", errno, err)
		}
		restore()
	}
	futex.ForgetProbe()
}

func TestOtherErrorsNameTheCall(t *testing.T) {
	watchdog(t)
	defer futex.Intercept(func(uint32) unix.Errno { return unix.EPERM })()
	err := futex.Wait(new(uint32), 0, futex.Shared)
	if !errors.Is(err, unix.EPERM) || !strings.Contains(err.Error(), "futex wait") {
		t.Errorf("got %v", err)
	}
}
