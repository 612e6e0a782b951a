package stackpool

import (
	"cmp"
	"fmt"
)

// Trim gives the memory of cached stacks back to the kernel, except for the keep
// stacks that were put back last (a negative keep is 0). Arenas in which nothing
// else is in use are unmapped; what was touched in the other stacks is discarded,
// though they stay cached. It returns how many stacks lost their memory by this
// call.
//
// Live stacks are not touched, and a Get or Put that the cache can serve is not
// held up. It costs a system call per stack or arena that is given back. The
// error is ErrClosed, or that of the first system call that was refused: the rest
// was done nevertheless, and what was refused is tried again by the next Trim.
func (p *Pool) Trim(keep int) (released int, err error) {
	p.grow.Lock()
	defer p.grow.Unlock()
	if p.closed {
		return 0, fmt.Errorf("stackpool: pool %q: trim: %w", p.name, ErrClosed)
	}
	released, err = p.trim(max(keep, 0))
	if err != nil {
		err = fmt.Errorf("stackpool: pool %q: trim: %w", p.name, err)
	}
	return released, err
}

// trim is Trim for who holds grow already.
func (p *Pool) trim(keep int) (released int, err error) {
	p.trims.Add(1)
	// Out of the cache they are ours alone: a Get that finds none waits for grow.
	p.mu.Lock()
	victims := p.cache.takeOldest(keep, p.scratch[:0])
	p.mu.Unlock()

	for _, a := range p.arenas {
		a.idle = 0
	}
	left, released, err := p.retire(victims)

	p.mu.Lock()
	p.cache.putOldest(left)
	p.mu.Unlock()
	clear(victims)
	p.scratch = victims[:0]
	return released, err
}

// retire takes the memory of stacks that nobody has: of whole arenas if nothing
// else is in use there, and one by one otherwise. It returns the stacks that are
// still mapped, in the same order (in place), how many lost their memory, and the
// first error; it goes on after one. Needs grow, and the idle counts of the
// arenas without these stacks.
func (p *Pool) retire(stacks []*Stack) (left []*Stack, released int, err error) {
	for _, s := range stacks {
		s.arena.idle++
	}
	for i := len(p.arenas) - 1; i >= 0; i-- { // backwards, as some are removed
		a := p.arenas[i]
		if !a.quiet() {
			continue
		}
		n, e := p.dropArena(a)
		released += n
		err = cmp.Or(err, e)
	}
	left = stacks[:0]
	for _, s := range stacks {
		if s.state.Load() == stateGone {
			continue
		}
		left = append(left, s)
		if !s.warm {
			continue
		}
		if e := p.discard(s); e != nil {
			err = cmp.Or(err, e)
			continue
		}
		released++
	}
	p.released.Add(uint64(released))
	return left, released, err
}

// discard gives the memory of one stack back, and keeps the stack. Needs grow,
// and a stack that nobody has.
func (p *Pool) discard(s *Stack) error {
	if err := p.mem.advise(s.bottom, s.size, adviceDontNeed); err != nil {
		p.refused.Add(1)
		return fmt.Errorf("memory of stack %d: %w", s.id, err)
	}
	s.warm = false
	return nil
}
