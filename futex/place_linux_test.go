//go:build linux && !futexportable

package futex_test

import (
	"context"
	"errors"
	"testing"
	"unsafe"

	"greenthread/futex"
)

func TestASharedMutexAtABadPlaceIsRefused(t *testing.T) {
	memory := inArena[[6]uint64]()
	m := (*futex.SharedMutex)(unsafe.Add(unsafe.Pointer(memory), 4))
	for _, err := range []error{m.Lock(), m.LockUntil(0), m.LockContext(context.Background())} {
		var bad *futex.AddressError
		if !errors.As(err, &bad) || bad.Addr != uintptr(unsafe.Pointer(m)) {
			t.Errorf("got %v", err)
		}
	}
}

func TestUnlockOfAFreeSharedLockIsAnError(t *testing.T) {
	for name, err := range map[string]error{
		"SharedMutex":           inArena[futex.SharedMutex]().Unlock(),
		"SharedRWMutex":         inArena[futex.SharedRWMutex]().Unlock(),
		"SharedRWMutex, reader": inArena[futex.SharedRWMutex]().RUnlock(),
		"SharedCond":            inArena[futex.SharedCond]().Wait(inArena[futex.SharedMutex]()),
	} {
		if err != futex.ErrNotOwner {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSharedSizesAreFixed(t *testing.T) {
	for name, size := range map[string][2]uintptr{
		"SharedMutex":     {unsafe.Sizeof(futex.SharedMutex{}), 40},
		"SharedRWMutex":   {unsafe.Sizeof(futex.SharedRWMutex{}), 648},
		"SharedCond":      {unsafe.Sizeof(futex.SharedCond{}), 8},
		"SharedSemaphore": {unsafe.Sizeof(futex.SharedSemaphore{}), 8},
		"SharedBarrier":   {unsafe.Sizeof(futex.SharedBarrier{}), 4},
		"SharedEvent":     {unsafe.Sizeof(futex.SharedEvent{}), 4},
		"SharedOnce":      {unsafe.Sizeof(futex.SharedOnce{}), 48},
	} {
		if size[0] != size[1] {
			t.Errorf("%s: %d bytes, want %d", name, size[0], size[1])
		}
	}
}

// What is slept on must not move with a stack: a local primitive is on the heap.
func TestPrimitivesAreNeverOnAStack(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	for name, use := range map[string]func(){
		"Mutex":     func() { var m futex.Mutex; m.LockUntil(0); m.Unlock() },
		"RWMutex":   func() { var m futex.RWMutex; m.RLockUntil(0); m.RUnlock() },
		"Semaphore": func() { var s futex.Semaphore; s.Release(1); s.Acquire() },
		"Event":     func() { var e futex.Event; e.Set(); e.Wait() },
		"Barrier":   func() { var b futex.Barrier; b.Wait(1) },
		"WaitAny":   func() { var w uint32; futex.WaitAny([]futex.Word{{Addr: &w, Val: 1}}, 0) },
		"LockPI":    func() { var w uint32; futex.TryLockPI(&w, futex.Private) },
	} {
		if n := testing.AllocsPerRun(100, use); n < 1 {
			t.Errorf("%s: %v allocations, want 1", name, n)
		}
	}
}
