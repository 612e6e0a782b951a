package doctor

import (
	"cmp"
	"fmt"
	"slices"
)

// A Capacity says how many threads of one kind there can be.
type Capacity struct {
	Kind   string  `json:"kind"`
	Bounds []Bound `json:"bounds"` // the first is the one that is met first
	Why    string  `json:"why"`    // there are none; empty if there are
}

// A Bound is a limit, in threads.
type Bound struct {
	Limit   string `json:"limit"`   // its name, as the place to change it calls it
	Threads uint64 `json:"threads"` // how many more there can be
	Why     string `json:"why"`     // how that is computed
	Raise   string `json:"raise"`   // how to raise it; empty where that is more than a setting
}

// raises says how to raise limits.
var raises = map[string]string{
	"vm.max_map_count":   "sysctl -w vm.max_map_count=1048576",
	"kernel.threads-max": "sysctl -w kernel.threads-max=1000000",
	"kernel.pid_max":     "sysctl -w kernel.pid_max=4194304",
	"RLIMIT_NPROC":       "ulimit -u unlimited",
	"RLIMIT_AS":          "ulimit -v unlimited",
}

// spareMaps is how many memory maps package stackpool leaves to the Go runtime.
const spareMaps = 1024

// Capacities computes how many threads there can be, besides what there is now.
func (f Facts) Capacities() []Capacity {
	return []Capacity{f.greenThreads(), f.kernelThreads()}
}

// greenThreads are about threads that are suspended in shallow stacks.
func (f Facts) greenThreads() Capacity {
	c := Capacity{Kind: "green threads, suspended", Bounds: []Bound{}}
	if f.Green.Measured == 0 {
		c.Why = f.Green.Why
		return c
	}
	each := uint64(f.Green.ResidentBytes + f.Green.TableBytes)
	f.memoryBounds(&c, each, fmt.Sprintf("a thread takes %s with its page tables, as measured with %s", amount(each), commas(uint64(f.Green.Measured))))
	slot := f.Guard.StackBytes + f.Guard.GuardBytes
	if f.Guard.Kind == "mprotect" && f.MaxMaps > 0 {
		c.add("vm.max_map_count", left(f.MaxMaps, f.Maps+spareMaps)/2,
			"a guard by mprotect takes two of %s maps; %s are in use and %s left to Go", commas(f.MaxMaps), commas(f.Maps), commas(spareMaps))
	}
	f.spaceBounds(&c, slot, fmt.Sprintf("a stack of %s with a guard of %s", amount(f.Guard.StackBytes), amount(f.Guard.GuardBytes)))
	if f.Overcommit == 2 {
		c.add("vm.overcommit_memory", left(f.Promisable, f.Promised)/max(1, f.Guard.StackBytes),
			"%s may still be promised, and promises are kept here; a stack is %s", amount(left(f.Promisable, f.Promised)), amount(f.Guard.StackBytes))
	}
	return c.sorted()
}

// threadStack is the stack of a kernel thread as the C library maps it by default,
// and touched is how many pages of it one that does little has touched.
const (
	threadStack = 8 << 20
	touched     = 2
)

// kernelThreads are about threads as the C library makes them.
func (f Facts) kernelThreads() Capacity {
	k := f.Kernel
	c := Capacity{Kind: "kernel threads, by pthread_create", Bounds: []Bound{}}
	if k.Bytes > 0 {
		each := k.Bytes + touched*f.PageBytes
		f.memoryBounds(&c, each, fmt.Sprintf("a thread takes %s in the kernel, and %d pages of its stack", amount(k.Bytes), touched))
	}
	if f.MaxMaps > 0 {
		c.add("vm.max_map_count", left(f.MaxMaps, f.Maps)/2, "a stack and its guard take two of %s maps; %s are in use", commas(f.MaxMaps), commas(f.Maps))
	}
	f.spaceBounds(&c, threadStack, fmt.Sprintf("a stack of %s", amount(threadStack)))
	if k.Max > 0 {
		c.add("kernel.threads-max", left(k.Max, k.InUse), "%s on the whole machine; %s are in use", commas(k.Max), commas(k.InUse))
	}
	if k.MaxID > 0 {
		c.add("kernel.pid_max", left(k.MaxID, k.InUse), "numbers of threads end there, on the whole machine; %s are in use", commas(k.InUse))
	}
	if k.UserMax > 0 && f.UserID != 0 {
		c.add("RLIMIT_NPROC", k.UserMax, "all threads of this user together")
	}
	if k.GroupMax > 0 {
		c.add("pids.max", left(k.GroupMax, k.GroupUsed), "%s is %s; %s are in use", k.GroupFile, commas(k.GroupMax), commas(k.GroupUsed))
	}
	return c.sorted()
}

// memoryBounds adds what memory leaves room for.
func (f Facts) memoryBounds(c *Capacity, each uint64, why string) {
	each = max(1, each)
	if f.Available > 0 {
		c.add("memory", f.Available/each, "%s are available; %s", amount(f.Available), why)
	}
	if f.Memory.GroupMax > 0 {
		room := left(f.Memory.GroupMax, f.Memory.GroupUsed)
		c.add("control group's memory", room/each, "%s leaves %s; %s", f.Memory.GroupFile, amount(room), why)
	}
}

// spaceBounds adds what address space leaves room for.
func (f Facts) spaceBounds(c *Capacity, each uint64, why string) {
	each = max(1, each)
	if f.Space > 0 {
		c.add("address space", left(f.Space, f.SpaceUsed)/each, "%s in all; %s", amount(f.Space), why)
	}
	if f.SpaceMax > 0 {
		c.add("RLIMIT_AS", left(f.SpaceMax, f.SpaceUsed)/each, "%s, of which %s are in use; %s", amount(f.SpaceMax), amount(f.SpaceUsed), why)
	}
}

// add adds a bound.
func (c *Capacity) add(limit string, threads uint64, format string, args ...any) {
	c.Bounds = append(c.Bounds, Bound{limit, threads, fmt.Sprintf(format, args...), raises[limit]})
}

// sorted returns c with the bound that is met first in front.
func (c Capacity) sorted() Capacity {
	if len(c.Bounds) == 0 {
		c.Why = "the system does not tell its limits"
	}
	slices.SortStableFunc(c.Bounds, func(a, b Bound) int { return cmp.Compare(a.Threads, b.Threads) })
	return c
}

// left is what used leaves of max.
func left(max, used uint64) uint64 { return max - min(used, max) }

// amount writes an amount of memory.
func amount(n uint64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	x, i := float64(n), 0
	for x >= 1024 && i < len(units)-1 {
		x, i = x/1024, i+1
	}
	if x == float64(uint64(x)) {
		return fmt.Sprintf("%.0f %s", x, units[i])
	}
	return fmt.Sprintf("%.1f %s", x, units[i])
}
