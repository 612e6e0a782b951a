package stackpool

import (
	"cmp"
	"fmt"
	"slices"
)

// How much of its memory a cached stack has.
const (
	heatCold uint8 = iota // none
	heatLazy              // what the kernel has not taken yet
	heatPart              // Stack.kept pages at the top
	heatWarm              // all that was touched
)

// span is a piece of memory.
type span struct{ addr, length uintptr }

// release gives memory of a stack back as the policy says, and reports whether
// there was anything to do. The caller has the stack to itself.
func (p *Pool) release(s *Stack, r Release) (did bool, err error) {
	piece, ok := s.plan(r)
	if !ok {
		return false, nil
	}
	a := adviceDontNeed
	if r.How == Lazy {
		a = adviceFree
	}
	if err := p.mem.advise(piece.addr, piece.length, a); err != nil {
		p.refused.Add(1)
		return false, fmt.Errorf("memory of stack %d: %w", s.id, err)
	}
	s.cool(r, piece)
	p.released.Add(1)
	p.event(EventRelease, s, int64(piece.length))
	return true, nil
}

// plan returns the memory that a release is about, and whether it would change
// anything.
func (s *Stack) plan(r Release) (span, bool) {
	bottom := s.Bottom()
	keep := min(pages(max(r.Top, 0), 0), s.top-bottom)
	piece := span{bottom, s.top - bottom - keep}
	switch {
	case r.How == Keep, r.How > Unmap, piece.length == 0, s.heat == heatCold:
		return piece, false
	case s.heat == heatLazy && r.How == Lazy:
		return piece, false
	case s.heat == heatPart && keep/pageSize >= uintptr(s.kept):
		return piece, false
	}
	return piece, true
}

// cool notes what has become of a stack after the memory of a piece went.
func (s *Stack) cool(r Release, piece span) {
	kept := s.top - piece.addr - piece.length
	switch {
	case kept > 0:
		s.heat, s.kept = heatPart, uint16(min(kept/pageSize, 1<<16-1))
		if r.Zero {
			clear(s.Bytes()[piece.length:])
		}
	case r.How == Lazy:
		s.heat = heatLazy
	default:
		s.heat = heatCold
	}
}

// releaseAll is release for many stacks at once, with as few system calls as
// possible. What the kernel refuses together is tried one by one. It returns how
// many there was something to do for, and the first error.
func (p *Pool) releaseAll(stacks []*Stack, decide func(*Stack) Release) (released int, err error) {
	type item struct {
		s     *Stack
		r     Release
		piece span
	}
	var groups [2][]item // what is discarded, and what the kernel may take later
	for _, s := range stacks {
		r := decide(s)
		piece, ok := s.plan(r)
		if !ok {
			continue
		}
		g := &groups[0]
		if r.How == Lazy {
			g = &groups[1]
		}
		*g = append(*g, item{s, r, piece})
	}
	for i, group := range groups {
		a := [...]advice{adviceDontNeed, adviceFree}[i]
		slices.SortFunc(group, func(a, b item) int { return cmp.Compare(a.piece.addr, b.piece.addr) })
		var spans []span
		for k, it := range group {
			// Nothing but a guard lies between neighbours, and a guard stays in
			// force when it is discarded.
			if k > 0 {
				before := group[k-1].s
				if last := &spans[len(spans)-1]; before.arena == it.s.arena && before.top == it.s.low && last.addr+last.length == before.top {
					last.length = it.piece.addr + it.piece.length - last.addr
					continue
				}
			}
			spans = append(spans, it.piece)
		}
		together := len(group) > 1 && p.mem.adviseAll(spans, a) == nil
		for _, it := range group {
			if !together {
				if _, e := p.release(it.s, it.r); e != nil {
					err = cmp.Or(err, e)
					continue
				}
			} else {
				it.s.cool(it.r, it.piece)
				p.released.Add(1)
				p.event(EventRelease, it.s, int64(it.piece.length))
			}
			released++
		}
	}
	return released, err
}

// discard gives all memory of one stack back.
func (p *Pool) discard(s *Stack) error {
	_, err := p.release(s, Release{How: Discard})
	return err
}
