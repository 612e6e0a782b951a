package stackpool

import "fmt"

// HighWater returns how deep the stack has been: the bytes from Top down to the
// lowest page that was ever touched since its memory was last given back (or
// mapped), 0 if none was. It counts in whole pages, and includes what earlier
// users of the stack touched, as their pages are still there.
//
// It may be called while the stack is in use, from the stack itself too, and
// makes three system calls per 4,096 bytes of page table or so; it never blocks.
// The error is ErrNotLive if the stack is no longer mapped, and wraps
// errors.ErrUnsupported where the system does not tell which pages are resident.
func (s *Stack) HighWater() (int, error) {
	if s.state.Load() == stateGone {
		return 0, s.fail("high water", ErrNotLive)
	}
	lowest, err := s.class.pool.mem.lowestTouched(s.Bottom(), s.top)
	if err != nil {
		return 0, s.fail("high water", err)
	}
	return int(s.top - lowest), nil
}

// HighWater returns the highest HighWater of all stacks that the pool has, live
// and cached. It makes a few system calls for each, and holds up Gets that must
// grow the pool.
func (p *Pool) HighWater() (int, error) {
	p.grow.Lock()
	defer p.grow.Unlock()
	deepest := 0
	var first error
	for a := range p.arenas() {
		a.each(func(s *Stack) {
			if first != nil {
				return
			}
			lowest, err := p.mem.lowestTouched(s.Bottom(), s.top)
			if err != nil {
				first = fmt.Errorf("stackpool: pool %q: high water: %w", p.name, err)
				return
			}
			deepest = max(deepest, int(s.top-lowest))
		})
	}
	return deepest, first
}
