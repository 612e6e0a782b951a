package stackpool

// Stats is what a pool holds and what it has done so far.
type Stats struct {
	Live      int   // stacks between Get and Put
	Cached    int   // stacks that the next Gets will take
	Peak      int   // the highest that Live has been
	Arenas    int   // pieces of memory that are mapped
	Mapped    int64 // bytes of address space in them, guards included
	StackSize int   // usable bytes of each stack
	GuardSize int   // bytes of each guard, 0 with GuardNone
	// Guard is the kind of guard in force for new stacks: never GuardAuto. It
	// changes from GuardMadvise to GuardMprotect in a pool with GuardAuto when
	// the kernel refuses the advice.
	Guard GuardKind
	// Closed tells that Close was called.
	Closed bool

	Hits     uint64 // Gets that the cache served
	Misses   uint64 // Gets that made a new stack
	Puts     uint64 // stacks that were taken back
	Trims    uint64 // calls of Trim, and those by the pool itself at a limit
	Released uint64 // times that a stack's memory was given back
	Unmapped uint64 // arenas that were unmapped
	Rearms   uint64 // guards that Rearm put back in force
	// AdviceRefused counts what the kernel refused to be told by madvise: no huge
	// pages (harmless on a kernel that has none), to install a guard (mprotect or
	// an error instead), to discard memory (it stays resident, and Trim says so).
	AdviceRefused uint64
}

// Stats returns a consistent account of the pool. It makes no system call, and
// waits for none.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return Stats{
		Live:      p.live,
		Cached:    p.cache.len(),
		Peak:      p.peak,
		Arenas:    len(p.arenas),
		Mapped:    int64(p.mapped),
		StackSize: int(p.geometry.size),
		GuardSize: int(p.geometry.guard),
		Guard:     p.kind,
		Closed:    p.closed,
		Hits:      p.hits,
		Misses:    p.misses,
		Puts:      p.puts,

		Trims:         p.trims.Load(),
		Released:      p.released.Load(),
		Unmapped:      p.unmapped.Load(),
		Rearms:        p.rearms.Load(),
		AdviceRefused: p.refused.Load(),
	}
}
