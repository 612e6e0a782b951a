package stackpool

import (
	"fmt"
	"iter"
	"slices"
)

// arena is one piece of mapped memory, cut into slots from the bottom up.
//
//	        slot 0              slot 1            not cut yet
//	├───────┬─────────┼───────┬─────────┼─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ┤
//	│ guard │ usable  │ guard │ usable  │ guard                    │
//	├───────┴─────────┴───────┴─────────┴────────
//	base                                ▲ the guard above the last cut slot is
//	                                      in force too: cutting a slot installs
//	                                      the guard above it, and mapping the
//	                                      arena installs the first one.
//
// An open arena is mapped with all rights, and guards are taken out of it, by
// advice if possible. A sealed arena is mapped without any rights, so it is all
// guard, and cutting a slot opens its usable part.
//
// Everything here is guarded by the pool's grow lock.
type arena struct {
	class  *class
	base   uintptr
	length uintptr
	slots  int                       // how many fit
	cut    int                       // how many were made
	sealed bool                      // mapped without rights
	rights uintptr                   // bytes that were given rights, and so are committed
	opened uintptr                   // of these, what is not in the books of the class yet
	next   GuardKind                 // in force below the next slot to be cut
	idle   int                       // cached stacks: counted by Trim, exact once the pool is closed
	maps   int                       // memory maps that its guards cost
	blocks []*[descriptorBlock]Stack // the descriptors of all slots that were cut
}

// descriptorBlock is how many descriptors are allocated at a time: eight are 512
// bytes, the most that the Go allocator aligns to its size. (It puts a header
// before larger objects that hold pointers, and each descriptor would lie across
// two cache lines.)
const descriptorBlock = 8

// full tells whether no slot is left to cut.
func (a *arena) full() bool { return a.cut == a.slots }

// quiet tells whether nothing in it is in use.
func (a *arena) quiet() bool { return a.idle == a.cut }

// descriptor returns the place for the descriptor of the next slot.
func (a *arena) descriptor() *Stack {
	n := a.cut % descriptorBlock
	if n == 0 {
		a.blocks = append(a.blocks, new([descriptorBlock]Stack))
	}
	return &a.blocks[len(a.blocks)-1][n]
}

// each calls f for every stack that was cut.
func (a *arena) each(f func(*Stack)) {
	for i := range a.cut {
		f(&a.blocks[i/descriptorBlock][i%descriptorBlock])
	}
}

// arenas yields all arenas of all classes. Needs grow.
func (p *Pool) arenas() iter.Seq[*arena] {
	return func(yield func(*arena) bool) {
		for _, c := range p.all() {
			for _, a := range c.arenas {
				if !yield(a) {
					return
				}
			}
		}
	}
}

// addArena enters a new arena into the books. Needs grow.
func (c *class) addArena(a *arena) {
	a.class = c
	c.mu.Lock()
	c.arenas = append(c.arenas, a)
	c.mapped += a.length
	if !a.sealed {
		a.rights = a.length
		c.committed += a.length
	}
	c.mu.Unlock()
}

// dropArena unmaps an arena in which nothing is in use and whose stacks are not
// in the cache, and returns how many of them had memory. If the kernel refuses
// (which it may, at the limit of memory maps), all is as before. Needs grow.
func (p *Pool) dropArena(a *arena) (warm int, err error) {
	c := a.class
	// First no caller may find the memory, then it goes.
	a.each(func(s *Stack) { s.state.Store(stateGone) })
	if err := p.mem.unmap(a.base, a.length); err != nil {
		a.each(func(s *Stack) { s.state.Store(stateCached) })
		return 0, fmt.Errorf("arena of %d bytes at %#x: %w", a.length, a.base, err)
	}
	a.each(func(s *Stack) {
		if s.heat != heatCold {
			warm++
		}
	})
	if c.current == a {
		c.current = nil
	}
	guardMaps.Add(-int64(a.maps))
	p.unmapped.Add(1)
	p.event(EventUnmap, nil, int64(a.length))
	p.stacks -= a.cut
	c.mu.Lock()
	i := slices.Index(c.arenas, a)
	c.arenas = slices.Delete(c.arenas, i, i+1)
	c.mapped -= a.length
	c.committed -= a.rights - a.opened
	c.stacks -= a.cut
	c.mu.Unlock()
	return warm, nil
}
