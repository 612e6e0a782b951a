package stackpool

import (
	"cmp"
	"fmt"
	"os"
)

// is64 is 1 where an int has 64 bits and 0 where it has 32.
const is64 = ^uint(0) >> 63

const (
	// DefaultSize is the usable size of a stack in bytes when Config.Size is 0.
	DefaultSize = 64 << 10
	// DefaultGuard is the size of a guard in bytes when Config.Guard is 0.
	DefaultGuard = 64 << 10
	// DefaultMagazine is the capacity of a magazine when Config.Magazine is 0.
	DefaultMagazine = 16
	// MaxSize is the largest usable size and the largest guard of a stack, in
	// bytes: 1 GiB (256 MiB where an int has 32 bits).
	MaxSize = 1 << (28 + 2*is64)
	// MaxArenaSize is the largest piece that a pool maps at a time, in bytes,
	// unless one slot is larger: 16 GiB (256 MiB where an int has 32 bits).
	MaxArenaSize = 1 << (28 + 6*is64)
)

const (
	// firstArena is how much a pool maps at first: room for 512 stacks of the
	// default size.
	firstArena = 64 << 20
	// leastArena is the piece that a pool still tries when larger ones are refused.
	leastArena = 1 << 20
	// spare is what a pool leaves of every limit on memory: room for one more arena
	// of the Go heap (64 MiB) and what goes with it, since the Go runtime dies
	// where we return an error.
	spare = uintptr(16<<20 + is64*(64<<20))
)

// Config says what stacks a pool makes. The zero value is a good one.
type Config struct {
	// Name is how errors and String call the pool; "" is "pool-1", "pool-2", ...
	Name string
	// Size is the usable size of each stack in bytes, rounded up to whole pages;
	// from one byte to MaxSize. 0 is DefaultSize.
	Size int
	// Guard is the size of the guard below each stack in bytes, rounded up to
	// whole pages; from one byte to MaxSize. 0 is DefaultGuard. With GuardNone it
	// is not used. Code that makes room for a frame larger than the guard and
	// touches its far end first (C without stack probes; Go never does) jumps over
	// it, into the neighbour: the guard must be larger than the largest frame.
	Guard int
	// GuardKind says how guards are made. GuardMadvise is an error where the
	// probe shows that it does not work; GuardAuto never is.
	GuardKind GuardKind
	// MaxStacks limits how many stacks the pool may have, live and cached ones
	// together. 0 is no limit but those of the process.
	MaxStacks int
	// ArenaSize is how many bytes are mapped at a time, rounded to whole slots,
	// at least one of them, up to MaxArenaSize. 0 lets the pool choose: 64 MiB at
	// first, then as much again as is mapped already, which keeps the number of
	// memory maps logarithmic. It costs address space only.
	ArenaSize int
	// Order says which cached stack is taken next: LIFO, FIFO or LowestFirst.
	Order Order
	// Magazine is how many stacks each carrier (each P) may hold of its own in
	// front of the shared depot, per size, up to 64. 0 is DefaultMagazine, but no
	// more than 1 MiB of stacks and at least two, where the order is LIFO, and
	// none otherwise. A negative value is none. With magazines the order holds on
	// each carrier by itself, and is LIFO inside of a magazine.
	Magazine int
	// Policy decides when the memory of cached stacks goes back to the kernel; nil
	// is DefaultPolicy. Pool.SetPolicy puts another one in force later.
	Policy Policy
	// MaxWarm and MaxWarmBytes limit how many stacks in the depot of each size may
	// keep their memory, and how many usable bytes these may have together,
	// whatever the policy says. What is more loses its memory at once, the oldest
	// first, and stays cached. The magazines come on top of it. 0 is no limit.
	MaxWarm      int
	MaxWarmBytes int
	// HugePages says whether the kernel may use huge pages for stacks.
	HugePages HugePages
	// Commit says when memory is promised by the kernel: for a whole arena, or
	// slot by slot.
	Commit Commit
	// Prefault makes so many bytes at the top of a stack resident (with the whole
	// pages around them) when a Get hands it out without memory, by one system
	// call instead of a fault for each page. 0 is none. To take a stack without
	// memory, to touch eight pages and to discard them took 25 us, and 17 us with
	// these pages prefaulted (EPYC, a virtual machine; BenchmarkPrefault). It
	// costs memory where they are not touched.
	Prefault int
	// Colours is how many different offsets from the end of a page Top may have,
	// in steps of 64 bytes: up to 64. They cost a page of address space for each
	// stack, so that none has less than Size. Without (0 or 1), the tops of all
	// stacks lie in the same few sets of the first-level cache: to touch two lines
	// of each of 512 stacks in turn took 24 ns a stack, with 64 colours 6.7 (EPYC;
	// BenchmarkColours).
	Colours int
	// Poison fills the touched pages of each stack that is put back with
	// PoisonByte, so that who reads there after Put sees it, and looks when a Get
	// takes the stack whether anything was written there meanwhile: that Get
	// returns an error that wraps ErrUsedAfterPut and says where, once, and the
	// stack stays cached. It costs some system calls and a sweep over that memory
	// at each Get and each Put: for debugging.
	Poison bool
	// Hook, if not nil, is told what happens, in the goroutine in which it
	// happens and sometimes under a lock: it must be quick, and must neither
	// panic nor call the pool but for Stats. It takes the fast path from Get and
	// Put, which without it cost nothing more.
	Hook func(Event)
}

// geometry is a Config after it was checked, in whole pages.
type geometry struct {
	size   uintptr // bytes that are no guard
	spread uintptr // of these, how many the colours may take
	guard  uintptr // bytes of each guard, 0 with GuardNone
	stride uintptr // size + guard
	arena  uintptr // fixed arena size, 0 to grow
}

// geometry checks the configuration.
func (c *Config) geometry() (geometry, error) {
	var g geometry
	if c.GuardKind > GuardNone {
		return g, &ConfigError{"GuardKind", int64(c.GuardKind), 0, int64(GuardNone)}
	}
	if c.Order > LowestFirst {
		return g, &ConfigError{"Order", int64(c.Order), 0, int64(LowestFirst)}
	}
	if c.HugePages > HugeAlways {
		return g, &ConfigError{"HugePages", int64(c.HugePages), 0, int64(HugeAlways)}
	}
	if c.Commit > CommitPerSlot {
		return g, &ConfigError{"Commit", int64(c.Commit), 0, int64(CommitPerSlot)}
	}
	for _, f := range []struct {
		name  string
		value int
		max   int64
	}{
		{"Size", c.Size, MaxSize},
		{"Guard", c.Guard, MaxSize},
		{"MaxStacks", c.MaxStacks, 1<<31 - 1},
		{"ArenaSize", c.ArenaSize, MaxArenaSize},
		{"Prefault", c.Prefault, MaxSize},
		{"Colours", c.Colours, 64},
		{"MaxWarm", c.MaxWarm, 1<<31 - 1},
		{"MaxWarmBytes", c.MaxWarmBytes, 1<<(31+is64*16) - 1},
		{"Magazine", max(c.Magazine, 0), maxMagazine},
	} {
		if f.value < 0 || int64(f.value) > f.max {
			return g, &ConfigError{f.name, int64(f.value), 0, f.max}
		}
	}
	g.spread = uintptr(max(1, c.Colours)-1) * cacheLine
	g.size = g.room(cmp.Or(c.Size, DefaultSize))
	if c.GuardKind != GuardNone {
		g.guard = pages(c.Guard, DefaultGuard)
	}
	g.stride = g.size + g.guard
	g.arena = uintptr(c.ArenaSize)
	return g, nil
}

// room returns how many bytes in whole pages hold so many usable ones whatever the
// colour, and usable the reverse.
func (g *geometry) room(usable int) uintptr { return pages(usable+int(g.spread), 0) }
func (g *geometry) usable() uintptr         { return g.size - g.spread }

// slots returns how many slots fit into an arena of so many bytes: at least one.
func (g *geometry) slots(bytes uintptr) int {
	if bytes < g.stride+g.guard {
		return 1
	}
	return int((bytes - g.guard) / g.stride)
}

// bytes returns the length of an arena of so many slots: there is one guard more
// than there are slots.
func (g *geometry) bytes(slots int) uintptr {
	return uintptr(slots)*g.stride + g.guard
}

// pageSize is the granularity of everything here.
var pageSize = uintptr(os.Getpagesize())

// pages rounds n, or the fallback if n is 0, up to whole pages.
func pages(n, fallback int) uintptr {
	if n == 0 {
		n = fallback
	}
	return (uintptr(n) + pageSize - 1) &^ (pageSize - 1)
}

// ConfigError reports a value in a Config that cannot be served. errors.Is finds
// ErrConfig in it.
type ConfigError struct {
	Field    string // name of the field in Config
	Value    int64  // what it was
	Min, Max int64  // what it may be
}

// Error names the field, the value and the limits.
func (e *ConfigError) Error() string {
	return fmt.Sprintf("stackpool: Config.%s is %d, but must be between %d and %d", e.Field, e.Value, e.Min, e.Max)
}

// Unwrap returns ErrConfig.
func (e *ConfigError) Unwrap() error { return ErrConfig }
