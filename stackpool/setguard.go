package stackpool

import "fmt"

// SetGuard changes the size of the guard below a live stack, in whole pages, at the
// expense of its usable memory: Bottom moves, the slot as a whole does not. So a
// stack of 64 KiB with a guard of as much may become one of 124 KiB with a guard
// of a page, or the reverse. It holds until the stack is put back; the next Get
// restores what the pool is configured for, before it hands the stack out.
//
// The guard is never open meanwhile: what is added is in force before Bottom
// moves, and what is taken away begins at the old Bottom. What was in the memory
// that becomes guard is discarded.
//
// It is for whoever has just got the stack: nothing may be running or stored on
// it, and the methods that tell its bounds change their answers. The error is
// ErrNotLive for a stack that is not live or is occupied, ErrGuard for a pool with
// GuardNone or a refusal of the kernel, ErrConfig for a size that leaves no page of
// guard or of stack; then nothing is changed. It makes one or two system calls and
// waits for a Trim or a Get that grows the pool.
func (s *Stack) SetGuard(bytes int) error {
	p := s.class.pool
	p.grow.Lock()
	defer p.grow.Unlock()
	if s.state.Load() != stateLive {
		return s.fail("set guard", ErrNotLive)
	}
	if s.Guard() == GuardNone {
		return s.fail("set guard", fmt.Errorf("%w: the pool has none", ErrGuard))
	}
	most := s.top - s.low - pageSize
	if bytes < 1 || uintptr(bytes) > most {
		return s.fail("set guard", fmt.Errorf("%w: %d bytes, but must be between 1 and %d", ErrConfig, bytes, most))
	}
	// Occupied, it cannot be put back meanwhile, should somebody else try to.
	if !s.state.CompareAndSwap(stateLive, stateOccupied) {
		return s.fail("set guard", ErrNotLive)
	}
	err := p.moveBottom(s, s.low+pages(bytes, 0))
	s.state.Store(stateLive)
	if err != nil {
		return s.fail("set guard", err)
	}
	return nil
}

// normalize gives an odd stack that was just taken from the depot the guard of its
// class. If that fails, the stack goes back there.
func (p *Pool) normalize(s *Stack) error {
	p.grow.Lock()
	err := p.moveBottom(s, s.low+s.class.geometry.guard)
	p.grow.Unlock()
	if err != nil {
		err = fmt.Errorf("stackpool: pool %q: get: %w", p.name, err)
		s.class.give([]*Stack{s}, 1)
	}
	return err
}

// moveBottom changes the guard of a stack that only the caller has. Needs grow.
func (p *Pool) moveBottom(s *Stack, bottom uintptr) error {
	old := s.Bottom()
	switch {
	case bottom > old:
		kind, err := p.installGuard(old, bottom-old, s.Guard())
		if err != nil {
			return err
		}
		if kind != s.Guard() {
			s.kind.Store(uint32(kind)) // the kernel takes one advice and not the other
			s.arena.chargeMaps()
		}
		if kind == GuardMprotect {
			if err := p.mem.advise(old, bottom-old, adviceDontNeed); err != nil {
				p.refused.Add(1)
			}
		}
	case bottom < old:
		if err := p.openGuard(s, bottom, old-bottom); err != nil {
			return err
		}
	}
	s.bottom.Store(bottom)
	s.odd = bottom != s.low+s.class.geometry.guard
	return nil
}

// openGuard makes a part of a guard usable. After a change of kind a guard may be
// made of both; then either call opens its own part only, so both are made.
func (p *Pool) openGuard(s *Stack, addr, length uintptr) error {
	if s.Guard() == GuardMadvise {
		if err := p.mem.advise(addr, length, adviceGuardRemove); err != nil {
			p.refused.Add(1)
			return fmt.Errorf("%w: %w", ErrGuard, err)
		}
		return nil
	}
	if err := p.mem.protect(addr, length, accessReadWrite); err != nil {
		return p.failed("mprotect", length, err)
	}
	if p.asked == GuardAuto && p.probed {
		// There may be a marker below. Where there is none, this is a no-op.
		if err := p.mem.advise(addr, length, adviceGuardRemove); err != nil {
			p.refused.Add(1)
			if err := p.mem.protect(addr, length, accessNone); err != nil {
				return p.failed("mprotect", length, err)
			}
			return fmt.Errorf("%w: %w", ErrGuard, err)
		}
	}
	return nil
}
