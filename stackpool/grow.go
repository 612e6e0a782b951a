package stackpool

import (
	"errors"
	"fmt"
)

// getSlow serves a Get that found the cache empty.
func (p *Pool) getSlow() (*Stack, error) {
	p.grow.Lock()
	defer p.grow.Unlock()
	s, err := p.getGrowing()
	var limit *LimitError
	if err == nil || !errors.As(err, &limit) || limit.Err == nil {
		return s, err
	}
	// A limit of the process. Give back what we can, which may be a stack that
	// has come back meanwhile or an arena that has nothing in use, and try again.
	p.trim(0)
	return p.getGrowing()
}

// getGrowing takes a stack from the cache or cuts a new one. Needs grow.
func (p *Pool) getGrowing() (*Stack, error) {
	p.mu.Lock()
	closed, s := p.closed, p.cache.pop()
	if s != nil {
		p.hand(s)
		p.hits++
	}
	p.mu.Unlock()
	switch {
	case s != nil:
		return s, nil
	case closed:
		return nil, fmt.Errorf("stackpool: pool %q: get: %w", p.name, ErrClosed)
	}
	return p.carve()
}

// carve cuts a new slot, in a new arena if need be. Needs grow.
func (p *Pool) carve() (*Stack, error) {
	if g := &p.geometry; g.max > 0 && p.stacks >= g.max {
		return nil, &LimitError{
			Limit:  "MaxStacks",
			Value:  uint64(g.max),
			Remedy: fmt.Sprintf("put stacks back to pool %q, or raise its Config.MaxStacks", p.name),
		}
	}
	if p.current == nil || p.current.full() {
		a, err := p.mapArena()
		if err != nil {
			return nil, err
		}
		p.current = a
	}
	a := p.current
	above, err := p.cut(a)
	if err != nil {
		return nil, err
	}
	g := &p.geometry
	p.lastID++
	s := a.descriptor()
	s.pool, s.arena, s.id = p, a, p.lastID
	s.bottom = a.base + uintptr(a.cut)*g.stride + g.guard
	s.size, s.guard = g.size, g.guard
	s.kind.Store(uint32(a.next))
	a.next = above
	a.cut++

	p.mu.Lock()
	p.stacks++
	p.cache.reserve(p.stacks)
	p.misses++
	p.hand(s)
	p.mu.Unlock()
	return s, nil
}

// cut makes the next slot of an arena usable between two guards, and returns the
// kind of the upper one. When it fails the arena is as before. Needs grow.
func (p *Pool) cut(a *arena) (above GuardKind, err error) {
	g := &p.geometry
	slot := a.base + uintptr(a.cut)*g.stride
	if a.sealed || p.kind == GuardMprotect {
		if err := p.checkMaps(); err != nil {
			return 0, err
		}
	}
	if a.sealed {
		// Here memory is charged slot by slot, to RLIMIT_DATA for one.
		if a.cut%max(1, int(spare/4/g.stride)) == 0 {
			if err := p.checkSpare(); err != nil {
				return 0, p.failed("mmap", spare, err)
			}
		}
		if err := p.mem.protect(slot+g.guard, g.size, accessReadWrite); err != nil {
			return 0, p.failed("mprotect", g.size, err)
		}
		above = GuardMprotect
	} else if above, err = p.installGuard(slot+g.stride, g.guard, p.kind); err != nil {
		return 0, err
	}
	if above == GuardMprotect {
		a.chargeMaps()
	}
	return above, nil
}

// checkSpare tells whether the process could still map a good piece of memory, by
// mapping it for a moment. Only a want of memory is an error: it is a courtesy, and
// the limit on locked memory, for one, is nobody else's concern. Needs grow.
func (p *Pool) checkSpare() error {
	addr, err := p.mem.reserve(spare, accessReadWrite)
	if err == nil {
		p.discardMap(addr, spare)
		return nil
	}
	if errors.Is(err, errNoMemory) {
		return err
	}
	return nil
}

// discardMap unmaps a piece that is not needed after all. If the kernel refuses, it
// is kept in the books as an arena without slots, which the next Trim tries
// to unmap again. Needs grow.
func (p *Pool) discardMap(addr, length uintptr) {
	if err := p.mem.unmap(addr, length); err != nil {
		p.addArena(&arena{base: addr, length: length})
	}
}

// failed makes the error of a Get out of that of a system call which asked for so
// many bytes: a LimitError if it was for want of something.
func (p *Pool) failed(call string, bytes uintptr, err error) error {
	if outOfMemory(err) {
		return p.mem.blame(call, bytes, err)
	}
	return fmt.Errorf("stackpool: pool %q: get: %w", p.name, err)
}

// mapArena maps the next arena: as large as it should be, or else as large as the
// kernel gives, down to a least size. Its lowest guard is in force. Needs grow.
func (p *Pool) mapArena() (*arena, error) {
	g := &p.geometry
	slots := g.slots(p.nextArena())
	if g.max > 0 {
		slots = min(slots, g.max-p.stacks)
	}
	least := min(slots, g.slots(leastArena))
	a := &arena{next: p.kind, sealed: p.kind == GuardMprotect}
	rights := accessReadWrite
	if a.sealed {
		rights = accessNone
	}
	for {
		a.slots, a.length = slots, g.bytes(slots)
		var err error
		if a.base, err = p.mem.reserve(a.length, rights); err == nil {
			if err = p.checkSpare(); err == nil {
				break
			}
			p.discardMap(a.base, a.length)
		}
		if slots == least || !outOfMemory(err) {
			return nil, p.failed("mmap", a.length+spare, err)
		}
		slots = max(least, slots/2)
	}
	if err := p.mem.advise(a.base, a.length, adviceNoHugePage); err != nil {
		p.refused.Add(1) // a kernel without huge pages says no, and has none
	}
	if !a.sealed {
		var err error
		if a.next, err = p.installGuard(a.base, g.guard, p.kind); err != nil {
			p.discardMap(a.base, a.length)
			return nil, err
		}
	}
	p.addArena(a)
	return a, nil
}

// nextArena returns how many bytes to map next: as configured, or as much as
// there is already, so that n stacks need about log n arenas. Needs grow.
func (p *Pool) nextArena() uintptr {
	if p.geometry.arena > 0 {
		return p.geometry.arena
	}
	return min(max(p.mapped, firstArena), MaxArenaSize)
}
