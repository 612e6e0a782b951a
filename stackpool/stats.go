package stackpool

import "sync/atomic"

// Stats is what a pool holds and what it has done so far. What only the kernel knows
// (resident memory, Committed_AS and its limit) is in Usage, and how deep stacks have
// been in HighWater.
type Stats struct {
	Live   int // stacks between Get and Put
	Cached int // stacks that the next Gets will take
	Warm   int // of these, how many may have memory
	// Peak is the highest that Live has been. With several carriers it may be too
	// low by what the magazines of the others held.
	Peak      int
	Arenas    int   // pieces of memory that are mapped
	Mapped    int64 // bytes of address space in them, guards included
	Committed int64 // of these, what has rights: with vm.overcommit_memory at 2, the pool's part of Committed_AS
	StackSize int   // usable bytes of each stack, at least (with Config.Colours some have more)
	GuardSize int   // bytes of each guard, 0 with GuardNone
	// Guard is the kind of guard in force for new stacks: never GuardAuto. It
	// changes from GuardMadvise to GuardMprotect in a pool with GuardAuto when
	// the kernel refuses the advice. (Large guards may be of either kind; see
	// GuardAuto and Stack.Guard.)
	Guard GuardKind
	// Closed tells that Close was called.
	Closed bool

	Hits   uint64 // Gets that the cache served
	Cold   uint64 // of these, with a stack whose memory had been given back
	Misses uint64 // Gets that made a new stack
	Puts   uint64 // stacks that were taken back
	// FaultsSaved is how many page faults the users of stacks were spared, at
	// least: one for each Get of a stack that had kept its memory (Hits - Cold;
	// how many of its pages are touched again, nobody tells).
	FaultsSaved uint64
	// Prefaulted is how many pages Config.Prefault has made resident; so many
	// faults were spared where all of them were touched.
	Prefaulted uint64
	Steals     uint64 // Gets that found the depot empty and took from the magazines of others
	Trims      uint64 // calls of Trim, and those by the pool itself at a limit
	Released   uint64 // times that a stack's memory was given back
	Unmapped   uint64 // arenas that were unmapped
	Rearms     uint64 // guards that Rearm put back in force
	Calls      uint64 // system calls that changed memory: mmap, munmap, mprotect, madvise
	// AdviceRefused counts what the kernel refused to be told by madvise: no huge
	// pages (harmless on a kernel that has none), to install a guard (mprotect or
	// an error instead), to discard memory (it stays resident, and Trim says so).
	AdviceRefused uint64
}

// Stats returns an account of the pool. It makes no system call, and waits for
// none. Calls of Get and Put that are under way may be counted or not.
func (p *Pool) Stats() Stats {
	if p.main == nil {
		return Stats{} // not made by New
	}
	t := Stats{
		StackSize: int(p.main.geometry.usable()),
		GuardSize: int(p.main.geometry.guard),
		Guard:     p.guardKind(),
		Peak:      int(p.peak.Load()),

		Trims:         p.trims.Load(),
		Released:      p.released.Load(),
		Unmapped:      p.unmapped.Load(),
		Rearms:        p.rearms.Load(),
		Calls:         p.calls.Load(),
		Prefaulted:    p.populated.Load(),
		Steals:        p.steals.Load(),
		AdviceRefused: p.refused.Load(),
	}
	for _, c := range p.all() {
		s := c.stats()
		t.Live += s.Live
		t.Cached += s.Cached
		t.Arenas += s.Arenas
		t.Mapped += s.Mapped
		t.Committed += s.Committed
		t.Hits += s.Hits
		t.Cold += s.Cold
		t.Warm += s.Warm
		t.Misses += s.Misses
		t.Puts += s.Puts
		t.Closed = s.closed
	}
	t.FaultsSaved = t.Hits - min(t.Cold, t.Hits)
	return t
}

// ClassStats is what a pool holds of one size.
type ClassStats struct {
	Size      int    // usable bytes of each stack
	Live      int    // stacks between Get and Put
	Cached    int    // stacks that the next Gets will take
	Warm      int    // of these, how many may have memory
	Arenas    int    // pieces of memory that are mapped
	Mapped    int64  // bytes of address space in them, guards included
	Committed int64  // of these, what has rights
	Hits      uint64 // as in Stats
	Cold      uint64
	Misses    uint64
	Puts      uint64
	closed    bool
}

// ClassStats returns an account of each size that the pool has been asked for, the
// smallest first. It costs what Stats costs.
func (p *Pool) ClassStats() []ClassStats {
	var all []ClassStats
	for _, c := range p.all() {
		all = append(all, c.stats())
	}
	return all
}

// stats returns an account of one class.
func (c *class) stats() ClassStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	gets, puts := c.served()
	s := ClassStats{
		Size:      int(c.geometry.usable()),
		Live:      int(gets - puts),
		Arenas:    len(c.arenas),
		Mapped:    int64(c.mapped),
		Committed: int64(c.committed),
		Hits:      gets - c.misses,
		Cold:      c.cold,
		Misses:    c.misses,
		Puts:      puts,
		closed:    c.closed,
	}
	for i := range c.magazines {
		s.Cold += atomic.LoadUint64(&c.magazines[i].cold)
	}
	if !c.closed {
		s.Cached = max(0, c.stacks-s.Live)
		s.Warm = min(s.Cached, c.depot.warmth()+c.inMagazines())
	}
	return s
}
