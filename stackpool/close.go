package stackpool

import (
	"cmp"
	"fmt"
)

// Close ends the pool and unmaps everything that is not in use. With stacks still
// in use it returns a LiveError that says how many: these stay valid, with their
// guards, and each is given back to the kernel when it is Put. From now on Get
// and Trim return ErrClosed.
//
// It may be called again, to retry what the kernel refused to unmap, and to learn
// whether stacks are still in use: nil means that nothing is mapped any more. It
// makes a system call per arena, and one per cached stack in those arenas that
// stay.
func (p *Pool) Close() error {
	p.grow.Lock()
	defer p.grow.Unlock()
	live := 0
	var err error
	for _, c := range p.all() {
		var e error
		if c.closed {
			_, e = c.retireArenas()
		} else {
			e = c.shut()
		}
		err = cmp.Or(err, e)
		for _, a := range c.arenas {
			live += a.cut - a.idle
		}
	}
	if live > 0 {
		return &LiveError{Pool: p.name, Live: live}
	}
	if err != nil {
		return fmt.Errorf("stackpool: pool %q: close: %w", p.name, err)
	}
	return nil
}

// shut closes a class and gives back what is cached. From here on the idle counts
// of its arenas are exact: nothing is taken out any more, and putClosed counts what
// comes back. Needs grow.
func (c *class) shut() error {
	c.drain(true)
	c.mu.Lock()
	c.closed = true
	victims := c.depot.takeOldest(0, nil)
	c.depot = depot{}
	c.mu.Unlock()
	for _, a := range c.arenas {
		a.idle = 0
	}
	c.scratch, c.current = nil, nil
	_, _, err := c.retire(victims)
	return err
}

// putClosed takes stacks back after Close: their memory goes, and an arena too if
// these were the last stacks in use there.
func (p *Pool) putClosed(stacks []*Stack) error {
	p.grow.Lock()
	defer p.grow.Unlock()
	var first error
	for _, s := range stacks {
		a := s.arena
		a.idle++
		var err error
		if a.quiet() {
			var n int
			n, err = p.dropArena(a)
			p.released.Add(uint64(n))
		} else {
			err = p.discard(s)
		}
		first = cmp.Or(first, err)
	}
	if first != nil {
		return fmt.Errorf("stackpool: pool %q: put after close: %w", p.name, first)
	}
	return nil
}
