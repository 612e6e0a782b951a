package stackpool

import "fmt"

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
	p.mu.Lock()
	again := p.closed
	p.closed = true
	victims := p.cache.takeOldest(0, nil)
	p.cache = depot{}
	p.mu.Unlock()

	if !again {
		for _, a := range p.arenas {
			a.idle = 0
		}
		p.scratch, p.current = nil, nil
	}
	// The idle counts stay exact from here on: nothing is taken out any more, and
	// putClosed counts what comes back.
	_, _, err := p.retire(victims)

	p.mu.Lock()
	live := p.live
	p.mu.Unlock()
	if live > 0 {
		return &LiveError{Pool: p.name, Live: live}
	}
	if err != nil {
		return fmt.Errorf("stackpool: pool %q: close: %w", p.name, err)
	}
	return nil
}

// putClosed takes a stack back after Close: its memory goes, and the arena too if
// this was the last stack in use there.
func (p *Pool) putClosed(s *Stack) error {
	p.grow.Lock()
	defer p.grow.Unlock()
	a := s.arena
	a.idle++
	var err error
	if a.quiet() {
		_, err = p.dropArena(a)
	} else {
		err = p.discard(s)
	}
	if err != nil {
		return fmt.Errorf("stackpool: pool %q: put after close: %w", p.name, err)
	}
	p.released.Add(1)
	return nil
}
