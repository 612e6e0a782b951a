package stackpool

import "fmt"

// GuardKind says how a guard is made to fault.
type GuardKind uint8

const (
	// GuardAuto takes GuardMadvise where a probe shows that it faults, and
	// GuardMprotect otherwise. Large guards (256 KiB and more) are made by
	// mprotect too, which is faster then, as long as half of the memory maps that
	// the process may have are free. It is the zero value, and never the kind in
	// force. A new stack took, in us (EPYC, Linux 6.18; BenchmarkGetCold):
	//
	//	guard of  4 KiB  64 KiB  128 KiB  192 KiB  256 KiB  512 KiB  1 MiB  4 MiB
	//	madvise     1.0     1.7      2.6      3.3      4.2      7.4   13.9   53.1
	//	mprotect    3.4     3.5      3.4      3.4      3.4      3.5    3.6    4.4
	GuardAuto GuardKind = iota
	// GuardMadvise is MADV_GUARD_INSTALL (Linux 6.13): no memory map per guard,
	// but an entry of 8 bytes in the page tables per page of it. That is 128
	// bytes for 64 KiB, and 2 MiB for 1 GiB, which no limit holds back but that
	// of memory itself. On memory locked by mlockall the kernel refuses it.
	GuardMadvise
	// GuardMprotect is memory without access rights: any kernel, any guard size
	// at the same price, but two memory maps per stack.
	GuardMprotect
	// GuardNone is no guard at all: stacks stand shoulder to shoulder and one
	// that overflows destroys its neighbour. Only for measurements, and for code
	// that is known to stay within its bounds.
	GuardNone
)

// String returns "auto", "madvise", "mprotect" or "none".
func (k GuardKind) String() string {
	switch k {
	case GuardAuto:
		return "auto"
	case GuardMadvise:
		return "madvise"
	case GuardMprotect:
		return "mprotect"
	case GuardNone:
		return "none"
	}
	return fmt.Sprintf("GuardKind(%d)", uint8(k))
}

// installGuard puts the guard [addr, addr+length) in force, as kind if possible,
// and returns the kind that it became. That differs from the one asked for only
// where the caller left the choice to the pool and the kernel refused the advice:
// memory that was locked by mlockall after the probe, for one. A guard that
// cannot be had is an error, never a shrug. Needs p.grow.
func (p *Pool) installGuard(addr, length uintptr, kind GuardKind) (GuardKind, error) {
	if kind == GuardNone {
		return GuardNone, nil
	}
	if kind == GuardMadvise && !p.prefersRights(length) {
		err := p.mem.advise(addr, length, adviceGuardInstall)
		if err == nil {
			return GuardMadvise, nil
		}
		if outOfMemory(err) {
			return 0, p.mem.blame("madvise", length, err)
		}
		p.refused.Add(1)
		if p.asked != GuardAuto {
			return 0, fmt.Errorf("stackpool: pool %q: %w: %w", p.name, ErrGuard, err)
		}
		p.kind.Store(uint32(GuardMprotect))
	}
	if err := p.mem.protect(addr, length, accessNone); err != nil {
		if outOfMemory(err) {
			return 0, p.mem.blame("mprotect", length, err)
		}
		return 0, fmt.Errorf("stackpool: pool %q: %w: %w", p.name, ErrGuard, err)
	}
	return GuardMprotect, nil
}

// largeGuard is where a guard by mprotect has become cheaper than page-table
// entries; see GuardAuto.
const largeGuard = 256 << 10

// prefersRights tells whether a guard that could be made by advice is better made by
// mprotect: if it is large and the choice was left to us. Needs p.grow.
func (p *Pool) prefersRights(length uintptr) bool {
	if p.asked != GuardAuto || length < largeGuard || p.sealing {
		return false
	}
	p.readMaps(2)
	return p.maps.limit > 0 && p.maps.room() > p.maps.limit/2
}

// Rearm puts the whole guard of the stack back in force after something has
// opened a part of it, as a fault handler does that needs room to report an
// overflow: by MADV_GUARD_REMOVE or by mprotect, without asking the pool. What
// was written there is discarded.
//
// The stack must be in use (between Get and Put), else the error is ErrNotLive.
// Another error means that the guard may still be open: the stack must not be
// used then. It makes one or two system calls and waits for a Trim or a Get that
// grows the pool.
func (s *Stack) Rearm() error {
	p := s.class.pool
	// The lock keeps the arena mapped from the look at the state to the last
	// system call, also if the caller's claim to the stack was wrong.
	p.grow.Lock()
	defer p.grow.Unlock()
	switch s.state.Load() {
	case stateLive, stateOccupied:
	default:
		return s.fail("rearm", ErrNotLive)
	}
	kind, err := p.installGuard(s.low, s.Bottom()-s.low, s.Guard())
	if err != nil {
		return s.fail("rearm", err)
	}
	if kind != s.Guard() {
		s.kind.Store(uint32(kind))
		s.arena.chargeMaps()
	}
	if kind == GuardMprotect {
		// Taking the rights away keeps the pages; the advice drops them.
		if err := p.mem.advise(s.low, s.Bottom()-s.low, adviceDontNeed); err != nil {
			p.refused.Add(1)
		}
	}
	p.rearms.Add(1)
	return nil
}
