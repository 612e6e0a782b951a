package stackpool

import (
	"fmt"
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
	base   uintptr
	length uintptr
	slots  int                       // how many fit
	cut    int                       // how many were made
	sealed bool                      // mapped without rights
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

// addArena enters a new arena into the books. Needs grow.
func (p *Pool) addArena(a *arena) {
	p.mu.Lock()
	p.arenas = append(p.arenas, a)
	p.mapped += a.length
	p.mu.Unlock()
}

// dropArena unmaps an arena in which nothing is in use and whose stacks are not
// in the cache, and returns how many of them had memory. If the kernel refuses
// (which it may, at the limit of memory maps), all is as before. Needs grow.
func (p *Pool) dropArena(a *arena) (warm int, err error) {
	// First no caller may find the memory, then it goes.
	a.each(func(s *Stack) { s.state.Store(stateGone) })
	if err := p.mem.unmap(a.base, a.length); err != nil {
		a.each(func(s *Stack) { s.state.Store(stateCached) })
		return 0, fmt.Errorf("arena of %d bytes at %#x: %w", a.length, a.base, err)
	}
	a.each(func(s *Stack) {
		if s.warm {
			warm++
		}
	})
	if p.current == a {
		p.current = nil
	}
	guardMaps.Add(-int64(a.maps))
	p.unmapped.Add(1)
	p.mu.Lock()
	i := slices.Index(p.arenas, a)
	p.arenas = slices.Delete(p.arenas, i, i+1)
	p.mapped -= a.length
	p.stacks -= a.cut
	p.mu.Unlock()
	return warm, nil
}
