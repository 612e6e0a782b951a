package stackpool

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// kernel is the memory that Linux gives.
type kernel struct{}

// errNoMemory is the errno of a limit.
const errNoMemory = unix.ENOMEM

// kernelMemory returns the real memory.
func kernelMemory() (memory, error) { return kernel{}, nil }

// outOfMemory tells a limit from a refusal. EAGAIN is the limit on locked memory.
func outOfMemory(err error) bool {
	return errors.Is(err, unix.ENOMEM) || errors.Is(err, unix.EAGAIN)
}

// prot translates to the kernel's flags.
func (a access) prot() int {
	if a == accessReadWrite {
		return unix.PROT_READ | unix.PROT_WRITE
	}
	return unix.PROT_NONE
}

// madv translates to the kernel's numbers, which are the same on all
// architectures that Go knows.
func (a advice) madv() uintptr {
	switch a {
	case adviceNoHugePage:
		return unix.MADV_NOHUGEPAGE
	case adviceHugePage:
		return unix.MADV_HUGEPAGE
	case advicePopulate:
		return unix.MADV_POPULATE_WRITE
	case adviceDontNeed:
		return unix.MADV_DONTNEED
	case adviceFree:
		return unix.MADV_FREE
	case adviceGuardRemove:
		return unix.MADV_GUARD_REMOVE
	default:
		return unix.MADV_GUARD_INSTALL
	}
}

// reserve maps memory. MAP_NORESERVE: address space is not charged as memory.
// MAP_STACK: since Linux 6.7 it keeps huge pages away without a further call.
func (kernel) reserve(length uintptr, a access, h HugePages) (uintptr, error) {
	flags := unix.MAP_PRIVATE | unix.MAP_ANON | unix.MAP_NORESERVE
	if h == HugeNever {
		flags |= unix.MAP_STACK
	}
	ptr, err := unix.MmapPtr(-1, 0, nil, length, a.prot(), flags)
	if err != nil {
		return 0, os.NewSyscallError("mmap", err)
	}
	return uintptr(ptr), nil
}

func (kernel) unmap(addr, length uintptr) error {
	return call("munmap", unix.SYS_MUNMAP, addr, length, 0)
}

func (kernel) protect(addr, length uintptr, a access) error {
	return call("mprotect", unix.SYS_MPROTECT, addr, length, uintptr(a.prot()))
}

func (kernel) advise(addr, length uintptr, a advice) error {
	if a == adviceDontNeed {
		if err := discardProbe(); err != nil {
			return err
		}
	}
	return call("madvise", unix.SYS_MADVISE, addr, length, a.madv())
}

// call makes a system call on memory that is not Go's: x/sys offers these calls
// for byte slices only, and a slice is a pointer that the collector follows.
func call(name string, number, addr, length, arg uintptr) error {
	for {
		_, _, errno := unix.Syscall(number, addr, length, arg)
		switch errno {
		case 0:
			return nil
		case unix.EINTR:
			continue
		}
		return os.NewSyscallError(name, errno)
	}
}
