package stackpool

import (
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sys/unix"
)

func (kernel) probeGuard() error { return guardProbe() }

// guardProbe tries once per process whether MADV_GUARD_INSTALL does what it says.
// That the kernel accepts the advice proves nothing: some emulators accept any
// and do nothing. So a page of our own is guarded, and then has to fault, as
// a system call tells without a signal: EFAULT.
var guardProbe = sync.OnceValue(func() error {
	var k kernel
	page, err := k.reserve(pageSize, accessReadWrite, HugeNever)
	if err != nil {
		return err
	}
	defer k.unmap(page, pageSize)
	*(*byte)(foreign(page)) = 1
	if err := k.advise(page, pageSize, adviceGuardInstall); err != nil {
		return errors.Join(errors.ErrUnsupported, err)
	}
	switch err := touchable(page); {
	case err == nil:
		return fmt.Errorf("MADV_GUARD_INSTALL is accepted but has no effect: %w", errors.ErrUnsupported)
	case !errors.Is(err, unix.EFAULT):
		return fmt.Errorf("the probe of MADV_GUARD_INSTALL failed: %w", errors.Join(errors.ErrUnsupported, err))
	}
	return nil
})

// discardProbe tries once per process whether MADV_DONTNEED does what it says. Where
// it does not, memory that a pool has given back would still hold what its last user
// left; so then the advice counts as refused.
var discardProbe = sync.OnceValue(func() error {
	return probeDiscard(func(addr, length uintptr) error {
		return call("madvise", unix.SYS_MADVISE, addr, length, adviceDontNeed.madv())
	})
})

// probeDiscard returns an error if discard says that it does something and does not.
// (An error of its own may be for now only, as that of locked memory.)
func probeDiscard(discard func(addr, length uintptr) error) error {
	var k kernel
	page, err := k.reserve(pageSize, accessReadWrite, HugeNever)
	if err != nil {
		return nil // no reason to distrust it
	}
	defer k.unmap(page, pageSize)
	b := (*byte)(foreign(page))
	*b = 1
	if discard(page, pageSize) == nil && *b != 0 {
		return fmt.Errorf("MADV_DONTNEED is accepted but has no effect: %w", errors.ErrUnsupported)
	}
	return nil
}

// touchable returns nil if the memory at addr can be accessed, EFAULT if it faults,
// and another error if that could not be found out. It raises no signal, and may
// change what is there.
func touchable(addr uintptr) error {
	err := readable(addr)
	if err == nil || errors.Is(err, unix.EFAULT) {
		return err
	}
	// There may be no file descriptor left. This call needs none, and writes the
	// resolution of a clock there.
	return call("clock_getres", unix.SYS_CLOCK_GETRES, unix.CLOCK_MONOTONIC, addr, 0)
}

// readable returns nil if the byte at addr can be read, EFAULT if it faults, and
// another error if that could not be found out. It raises no signal.
func readable(addr uintptr) error {
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		return err
	}
	defer unix.Close(pipe[0])
	defer unix.Close(pipe[1])
	return call("write", unix.SYS_WRITE, uintptr(pipe[1]), addr, 1)
}
