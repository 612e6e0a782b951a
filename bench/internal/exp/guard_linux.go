package exp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"greenthread/asm"
	"greenthread/bench/internal/hugepages"
	"greenthread/bench/internal/measure"
)

// guardOrders are the ways to make a stack of total bytes with its guard at the low
// end. They leave nothing behind when they fail.
var guardOrders = map[string]func(total, guard uintptr) (unsafe.Pointer, error){
	"rw_then_none": func(total, guard uintptr) (unsafe.Pointer, error) {
		return mapThen(total, unix.PROT_READ|unix.PROT_WRITE, func(p unsafe.Pointer) error {
			return unix.Mprotect(unsafe.Slice((*byte)(p), guard), unix.PROT_NONE)
		})
	},
	"none_then_rw": func(total, guard uintptr) (unsafe.Pointer, error) {
		return mapThen(total, unix.PROT_NONE, func(p unsafe.Pointer) error {
			usable := unsafe.Slice((*byte)(unsafe.Add(p, guard)), total-guard)
			return unix.Mprotect(usable, unix.PROT_READ|unix.PROT_WRITE)
		})
	},
	"madv_guard": func(total, guard uintptr) (unsafe.Pointer, error) {
		return mapThen(total, unix.PROT_READ|unix.PROT_WRITE, func(p unsafe.Pointer) error {
			return unix.Madvise(unsafe.Slice((*byte)(p), guard), unix.MADV_GUARD_INSTALL)
		})
	},
	"no_guard": mapHuge,
}

// mapHuge maps memory from which nothing keeps huge pages away: no guard, no
// MAP_STACK. Where the system does not bring them by itself, they are asked for.
func mapHuge(total, _ uintptr) (unsafe.Pointer, error) {
	p, err := unix.MmapPtr(-1, 0, nil, total, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil || hugeByItself() {
		return p, err
	}
	if err := unix.Madvise(unsafe.Slice((*byte)(p), total), unix.MADV_HUGEPAGE); err != nil {
		return nil, errors.Join(err, unix.MunmapPtr(p, total))
	}
	return p, nil
}

// hugeByItself tells whether the system brings huge pages unasked. It is asked once,
// as bench does not change that any more when it measures.
var hugeByItself = sync.OnceValue(func() bool { return hugepages.Setting() == "always" })

// mapThen maps memory as the C library does for stacks, and calls then with it.
func mapThen(total uintptr, rights int, then func(unsafe.Pointer) error) (unsafe.Pointer, error) {
	p, err := unix.MmapPtr(-1, 0, nil, total, rights, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_STACK)
	if err != nil {
		return nil, err
	}
	if err := then(p); err != nil {
		return nil, errors.Join(err, unix.MunmapPtr(p, total))
	}
	return p, nil
}

// guardSampler makes threads on stacks that are mapped and unmapped each time.
type guardSampler struct {
	make         func(total, guard uintptr) (unsafe.Pointer, error)
	total, guard uintptr
}

// openGuard opens one order with guards of one size.
func openGuard(order string, size int) (measure.Sampler, error) {
	s := &guardSampler{guardOrders[order], uintptr(guardStack + size), uintptr(size)}
	if order == "no_guard" {
		const huge = 2 << 20 // the kernel aligns such memory by itself if it is whole huge pages
		s.total = (s.total + huge - 1) / huge * huge
	}
	if err := s.thread(); err != nil {
		if errors.Is(err, unix.EINVAL) {
			return nil, measure.Unavailablef("the kernel does not know it: %v", err)
		}
		return nil, unavailable(err)
	}
	return s, nil
}

func (s *guardSampler) Close() error { return nil }

// thread makes one stack, runs a thread on it, and unmaps it.
func (s *guardSampler) thread() error {
	p, err := s.make(s.total, s.guard)
	if err != nil {
		return err
	}
	low := uintptr(p)
	if err := cloneAndJoin(asm.StackMemory{Lo: low + s.guard, Hi: low + s.total}); err != nil {
		return err // whatever runs there: it stays mapped
	}
	return unix.MunmapPtr(p, s.total)
}

// Sample makes n threads, from as many others at a time as was published.
func (s *guardSampler) Sample(_ context.Context, clock measure.Clock, n int) (measure.Reading, error) {
	var before, after unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &before); err != nil {
		return measure.Reading{}, err
	}
	var left atomic.Int64
	left.Store(int64(n))
	errs := make([]error, min(n, guardOuter))
	count := measure.CountUsage()
	start := clock.Now()
	var outer sync.WaitGroup
	for i := range errs {
		outer.Go(func() {
			for left.Add(-1) >= 0 && errs[i] == nil {
				errs[i] = s.thread()
			}
		})
	}
	outer.Wait()
	elapsed := clock.Since(start)
	counts := count()
	if err := errors.Join(append(errs, unix.Getrusage(unix.RUSAGE_SELF, &after))...); err != nil {
		return measure.Reading{}, err
	}
	scale := float64(guardOuter*guardInner) / float64(n)
	r := measure.Reading{Ops: n, Elapsed: elapsed, Usage: counts, Further: map[string]float64{
		"sys_s":        float64(after.Stime.Nano()-before.Stime.Nano()) / 1e9 * scale,
		"minor_faults": float64(after.Minflt-before.Minflt) * scale,
	}}
	return r, s.live(min(n, 1000), r.Further)
}

// live makes so many stacks that live at once, and adds what they cost, for 1,000.
func (s *guardSampler) live(n int, further map[string]float64) (err error) {
	var stacks []unsafe.Pointer
	defer func() {
		for _, p := range stacks {
			err = errors.Join(err, unix.MunmapPtr(p, s.total))
		}
	}()
	committed, maps, err := promised()
	if err != nil {
		return err
	}
	for range n {
		p, err := s.make(s.total, s.guard)
		if err != nil {
			return err
		}
		stacks = append(stacks, p)
	}
	committedNow, mapsNow, err := promised()
	scale := 1000 / float64(n)
	further["committed_kib"] = float64(committedNow-committed) * scale
	further["maps"] = float64(mapsNow-maps) * scale
	return err
}

// promised returns Committed_AS in KiB, and how many memory maps the process has.
func promised() (kib int64, maps int, err error) {
	info, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, 0, err
	}
	for line := range strings.Lines(string(info)) {
		if n, _ := fmt.Sscanf(line, "Committed_AS: %d kB", &kib); n == 1 {
			break
		}
	}
	text, err := os.ReadFile("/proc/self/maps")
	return kib, strings.Count(string(text), "\n"), err
}
