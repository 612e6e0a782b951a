package stackpool

import (
	"errors"
	"fmt"
)

// getSlow serves a Get that found the magazine empty, or has more to do with the
// stack that it found there.
func (c *class) getSlow(s *Stack) (*Stack, error) {
	if c == nil {
		return nil, errNotMade
	}
	if s == nil {
		s = c.takeDepot()
	}
	if s == nil {
		var err error
		if s, err = c.getGrowing(); err != nil {
			return nil, err
		}
	}
	if s.odd {
		if err := c.pool.normalize(s); err != nil {
			return nil, err
		}
	}
	s.setLive()
	if c.pool.onGet {
		if err := c.serve(s); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// getGrowing serves a Get that found the depot empty too.
func (c *class) getGrowing() (*Stack, error) {
	p := c.pool
	p.grow.Lock()
	defer p.grow.Unlock()
	s, err := c.find()
	var limit *LimitError
	if err == nil || !errors.As(err, &limit) {
		return s, err
	}
	if limit.Err == nil && len(p.all()) == 1 {
		// Our own limit, which counts stacks, so that it helps only to find one.
		c.drain(false)
	} else {
		// Give back what we can, which may be a stack that has come back meanwhile
		// or an arena that has nothing in use, and try again.
		p.trim(0)
	}
	return c.find()
}

// find takes a stack from the depot, from the magazines of others, or cuts a new
// one. Needs grow.
func (c *class) find() (*Stack, error) {
	if s := c.takeDepot(); s != nil {
		return s, nil
	}
	if c.closed {
		return nil, fmt.Errorf("stackpool: pool %q: get: %w", c.pool.name, ErrClosed)
	}
	if c.steal() {
		if s := c.takeDepot(); s != nil {
			return s, nil
		}
	}
	return c.carve()
}

// carve cuts a new slot, in a new arena if need be. Needs grow.
func (c *class) carve() (*Stack, error) {
	p := c.pool
	if p.max > 0 && p.stacks >= p.max {
		return nil, &LimitError{
			Limit:  "MaxStacks",
			Value:  uint64(p.max),
			Remedy: fmt.Sprintf("put stacks back to pool %q, or raise its Config.MaxStacks", p.name),
		}
	}
	if c.current == nil || c.current.full() {
		a, err := c.mapArena()
		if err != nil {
			return nil, err
		}
		c.current = a
	}
	a := c.current
	above, err := c.cut(a)
	if err != nil {
		return nil, err
	}
	g := &c.geometry
	p.lastID++
	s := a.descriptor()
	s.class, s.arena, s.id = c, a, p.lastID
	s.low = a.base + uintptr(a.cut)*g.stride
	s.top = s.low + g.stride
	s.bottom.Store(s.low + g.guard)
	s.kind.Store(uint32(a.next))
	a.next = above
	a.cut++
	p.stacks++

	c.mu.Lock()
	c.stacks++
	c.committed += a.opened
	a.opened = 0
	c.depot.reserve(c.stacks)
	c.misses++
	c.gets++
	c.mu.Unlock()
	p.notePeak()
	p.event(EventNew, s, int64(g.stride))
	return s, nil
}

// notePeak looks how many stacks are live, after a new one was cut. A peak cannot
// be reached otherwise: as long as there are cached stacks, as many were live
// before.
func (p *Pool) notePeak() {
	live := 0
	for _, c := range p.all() {
		live += c.live()
	}
	if int64(live) > p.peak.Load() {
		p.peak.Store(int64(live))
	}
}

// cut makes the next slot of an arena usable between two guards, and returns the
// kind of the upper one. When it fails the arena is as before. Needs grow.
func (c *class) cut(a *arena) (above GuardKind, err error) {
	p, g := c.pool, &c.geometry
	slot := a.base + uintptr(a.cut)*g.stride
	if p.guardKind() == GuardMprotect {
		if err := p.checkMaps(); err != nil {
			return 0, err
		}
	}
	if a.sealed {
		// Here memory is charged slot by slot, to RLIMIT_DATA for one.
		if a.cut%max(1, int(spare/4/g.stride)) == 0 {
			if err := c.checkSpare(); err != nil {
				return 0, p.failed("mmap", spare, err)
			}
		}
		if a.next, err = c.unseal(slot); err != nil {
			return 0, err
		}
		above = GuardMprotect
	} else if above, err = p.installGuard(slot+g.stride, g.guard, p.guardKind()); err != nil {
		return 0, err
	}
	if above == GuardMprotect && (!a.sealed || a.next == GuardMprotect) {
		a.chargeMaps()
	}
	return above, nil
}

// checkSpare tells whether the process could still map a good piece of memory, by
// mapping it for a moment. Only a want of memory is an error: it is a courtesy, and
// the limit on locked memory, for one, is nobody else's concern. Needs grow.
func (c *class) checkSpare() error {
	addr, err := c.pool.mem.reserve(spare, accessReadWrite, HugeNever)
	if err == nil {
		c.discardMap(addr, spare)
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
func (c *class) discardMap(addr, length uintptr) {
	if err := c.pool.mem.unmap(addr, length); err != nil {
		c.addArena(&arena{base: addr, length: length})
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
func (c *class) mapArena() (*arena, error) {
	p, g := c.pool, &c.geometry
	slots := g.slots(c.nextArena())
	if p.max > 0 {
		slots = min(slots, p.max-p.stacks)
	}
	least := min(slots, g.slots(leastArena))
	kind := p.guardKind()
	a := &arena{next: kind, sealed: p.seals(kind)}
	rights := accessReadWrite
	if a.sealed {
		rights = accessNone
	}
	for {
		a.slots, a.length = slots, g.bytes(slots)
		var err error
		if a.base, err = p.mem.reserve(a.length, rights, p.huge); err == nil {
			if err = c.checkSpare(); err == nil {
				break
			}
			c.discardMap(a.base, a.length)
		}
		if slots == least || !outOfMemory(err) {
			return nil, p.failed("mmap", a.length+spare, err)
		}
		slots = max(least, slots/2)
	}
	p.adviseHuge(a)
	if !a.sealed {
		var err error
		if a.next, err = p.installGuard(a.base, g.guard, kind); err != nil {
			c.discardMap(a.base, a.length)
			return nil, err
		}
	}
	c.addArena(a)
	p.event(EventMap, nil, int64(a.length))
	return a, nil
}

// nextArena returns how many bytes to map next: as configured, or as much as
// there is already, so that n stacks need about log n arenas. Needs grow.
func (c *class) nextArena() uintptr {
	if c.geometry.arena > 0 {
		return c.geometry.arena
	}
	return min(max(c.mapped, firstArena), MaxArenaSize)
}
