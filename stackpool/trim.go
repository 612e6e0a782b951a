package stackpool

import (
	"cmp"
	"fmt"
	"slices"
)

// Trim gives the memory of cached stacks back to the kernel, except for the keep
// stacks of each size that were put back last (a negative keep is 0; with the order
// LowestFirst it is those with the lowest addresses). Arenas in which nothing else
// is in use are unmapped; what was touched in the other stacks is discarded,
// though they stay cached. It returns how many stacks lost their memory by this
// call.
//
// Live stacks are not touched, and a Get or Put that the depot can serve is not
// held up; magazines are emptied first. It costs a system call per stack or arena
// that is given back, or less where stacks are neighbours. The error is ErrClosed, or that of the first system call that
// was refused: the rest was done nevertheless, and what was refused is tried again
// by the next Trim.
func (p *Pool) Trim(keep int) (released int, err error) {
	p.grow.Lock()
	defer p.grow.Unlock()
	if p.main == nil {
		return 0, errNotMade
	}
	if p.main.closed {
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
	for _, c := range p.all() {
		c.drain(false)
		n, e := c.trim(func(d *depot, into []*Stack) []*Stack { return d.takeOldest(keep, into) })
		released += n
		err = cmp.Or(err, e)
	}
	return released, err
}

// trim gives back the memory of those stacks that choose takes out of the depot.
// Needs grow.
func (c *class) trim(choose func(d *depot, into []*Stack) []*Stack) (released int, err error) {
	// Out of the cache they are ours alone: a Get that finds none waits for grow.
	c.mu.Lock()
	victims := choose(&c.depot, c.scratch[:0])
	c.mu.Unlock()

	for _, a := range c.arenas {
		a.idle = 0
	}
	left, released, err := c.retire(victims)

	c.mu.Lock()
	c.depot.putOldest(left)
	c.mu.Unlock()
	clear(victims)
	c.scratch = victims[:0]
	return released, err
}

// retire takes the memory of stacks that nobody has: of whole arenas if nothing
// else is in use there, and one by one otherwise. It returns the stacks that are
// still mapped, in the same order (in place), how many lost their memory, and the
// first error; it goes on after one. Needs grow, and the idle counts of the
// arenas without these stacks.
func (c *class) retire(stacks []*Stack) (left []*Stack, released int, err error) {
	for _, s := range stacks {
		s.arena.idle++
	}
	released, err = c.retireArenas()
	left = slices.DeleteFunc(stacks, func(s *Stack) bool { return s.state.Load() == stateGone })
	n, e := c.pool.releaseAll(left, func(*Stack) Release { return Release{How: Discard} })
	return left, released + n, cmp.Or(err, e)
}

// retireArenas unmaps the arenas in which nothing is in use, and returns how many
// stacks lost their memory. Needs grow, and exact idle counts.
func (c *class) retireArenas() (released int, err error) {
	for i := len(c.arenas) - 1; i >= 0; i-- { // backwards, as some are removed
		a := c.arenas[i]
		if !a.quiet() {
			continue
		}
		n, e := c.pool.dropArena(a)
		released += n
		err = cmp.Or(err, e)
	}
	c.pool.released.Add(uint64(released))
	return released, err
}
