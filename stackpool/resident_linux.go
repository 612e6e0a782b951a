package stackpool

import (
	"errors"
	"os"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// errUnknownResident is the error of a system that does not tell.
var errUnknownResident = errors.Join(errors.ErrUnsupported, errors.New("the system does not tell which pages are resident"))

// lowestTouched asks whichever source has proved to tell the truth.
func (kernel) lowestTouched(bottom, top uintptr) (uintptr, error) {
	lowest := residentProbe()
	if lowest == nil {
		return 0, errUnknownResident
	}
	return lowest(bottom, top)
}

// residentProbe chooses, once per process, how to find out which pages are
// resident. The page map comes first: it also knows pages that were swapped out.
// It may be closed to us, and mincore is said to answer "resident" to everything
// on some systems; so each is tried on memory of which the answer is known.
var residentProbe = sync.OnceValue(func() func(bottom, top uintptr) (uintptr, error) {
	var k kernel
	length := 4 * pageSize
	base, err := k.reserve(length, accessReadWrite, HugeNever)
	if err != nil {
		return nil
	}
	defer k.unmap(base, length)
	touched := base + 2*pageSize
	*(*byte)(foreign(touched)) = 1
	for _, lowest := range []func(bottom, top uintptr) (uintptr, error){lowestInPageMap, lowestInCore} {
		found, err1 := lowest(base, base+length)
		none, err2 := lowest(base, touched)
		if err1 == nil && err2 == nil && found == touched && none == touched {
			return lowest
		}
	}
	return nil
})

// The bits of an entry in the page map that say that a page has contents.
const (
	pagePresent = 1 << 63
	pageSwapped = 1 << 62
)

// lowestInPageMap reads the page map. A guard marker looks like a swapped page
// there, but no guard lies in the usable part.
func lowestInPageMap(bottom, top uintptr) (uintptr, error) {
	lowest := top
	err := eachInPageMap(bottom, top, func(page uintptr, entry uint64) bool {
		if entry&(pagePresent|pageSwapped) != 0 {
			lowest = page
			return false
		}
		return true
	})
	return lowest, err
}

// lowestInCore asks mincore. For private memory it tells which pages are present;
// those that were swapped out it may miss.
func lowestInCore(bottom, top uintptr) (uintptr, error) {
	lowest := top
	err := eachInCore(bottom, top, func(page uintptr, present bool) bool {
		if present {
			lowest = page
		}
		return !present
	})
	return lowest, err
}

// resident counts present pages, by the same source as lowestTouched.
func (kernel) resident(addr, length uintptr) (uintptr, error) {
	lowest := residentProbe()
	if lowest == nil {
		return 0, errUnknownResident
	}
	n := uintptr(0)
	err := eachInPageMap(addr, addr+length, func(_ uintptr, entry uint64) bool {
		if entry&pagePresent != 0 {
			n += pageSize
		}
		return true
	})
	if err == nil {
		return n, nil
	}
	n = 0
	err = eachInCore(addr, addr+length, func(_ uintptr, present bool) bool {
		if present {
			n += pageSize
		}
		return true
	})
	return n, err
}

// eachInPageMap reads /proc/self/pagemap, eight bytes a page, until visit returns
// false. The file is opened each time: a descriptor kept open could be closed, and
// become another file, behind our back.
func eachInPageMap(bottom, top uintptr, visit func(page uintptr, entry uint64) bool) error {
	fd, err := unix.Open("/proc/self/pagemap", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: "/proc/self/pagemap", Err: err}
	}
	defer unix.Close(fd)
	var entries [512]uint64
	for addr := bottom; addr < top; {
		n := min(len(entries), int((top-addr)/pageSize))
		raw := unsafe.Slice((*byte)(unsafe.Pointer(&entries)), 8*n)
		got, err := unix.Pread(fd, raw, int64(addr/pageSize)*8)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return os.NewSyscallError("pread", err)
		case got < 8:
			return os.NewSyscallError("pread", unix.EIO)
		}
		for i, e := range entries[:got/8] {
			if !visit(addr+uintptr(i)*pageSize, e) {
				return nil
			}
		}
		addr += uintptr(got/8) * pageSize
	}
	return nil
}

// eachInCore asks mincore, a byte a page, until visit returns false.
func eachInCore(bottom, top uintptr, visit func(page uintptr, present bool) bool) error {
	var present [4096]byte
	for addr := bottom; addr < top; {
		n := min(uintptr(len(present)), (top-addr)/pageSize)
		_, _, errno := unix.Syscall(unix.SYS_MINCORE, addr, n*pageSize, uintptr(unsafe.Pointer(&present)))
		switch errno {
		case 0:
		case unix.EINTR, unix.EAGAIN:
			continue
		default:
			return os.NewSyscallError("mincore", errno)
		}
		for i, b := range present[:n] {
			if !visit(addr+uintptr(i)*pageSize, b&1 != 0) {
				return nil
			}
		}
		addr += n * pageSize
	}
	return nil
}
