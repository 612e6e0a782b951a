package exp

import (
	"context"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"greenthread/bench/internal/hugepages"
	"greenthread/bench/internal/measure"
)

// plainSampler maps memory for all stacks at once, without guards, and keeps huge
// pages away in one way only.
type plainSampler struct {
	size  int
	flags int // of mmap
	avoid bool
}

// openPlain opens the way "map_stack" or "nohugepage" for stacks of size bytes.
func openPlain(way string, size int) (measure.Sampler, error) {
	if setting := hugepages.Setting(); setting != "always" {
		return nil, measure.Unavailablef("huge pages are set to %q, so nothing has to keep them away; "+
			"the variants that allow them ask by MADV_HUGEPAGE, which emulates \"always\" (root may set it by -system)", setting)
	}
	if way == "map_stack" {
		return plainSampler{size: size, flags: unix.MAP_STACK}, nil
	}
	return plainSampler{size: size, avoid: true}, nil
}

func (plainSampler) Close() error { return nil }

// Sample maps n stacks and touches the page at the top of each.
func (s plainSampler) Sample(_ context.Context, clock measure.Clock, n int) (r measure.Reading, err error) {
	start := clock.Now()
	memory, err := unix.Mmap(-1, 0, n*s.size, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE|s.flags)
	if err != nil {
		return r, err
	}
	defer unix.Munmap(memory)
	if s.avoid {
		if err := unix.Madvise(memory, unix.MADV_NOHUGEPAGE); err != nil {
			return r, err
		}
	}
	for i := range n {
		memory[(i+1)*s.size-1] = 1
	}
	r.Ops, r.Elapsed = n, clock.Now()-start
	pages, err := residentPages(memory)
	r.Further = map[string]float64{"rss_kib": float64(pages*os.Getpagesize()) / 1024 / float64(n)}
	return r, err
}

// residentPages returns how many pages of mapped memory are resident.
func residentPages(memory []byte) (int, error) {
	present := make([]byte, len(memory)/os.Getpagesize())
	_, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&memory[0])), uintptr(len(memory)), uintptr(unsafe.Pointer(&present[0])))
	if errno != 0 {
		return 0, os.NewSyscallError("mincore", errno)
	}
	n := 0
	for _, p := range present {
		n += int(p & 1)
	}
	return n, nil
}
