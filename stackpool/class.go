package stackpool

import (
	"fmt"
	"math/bits"
	"runtime"
	"slices"
	"sync"
)

const (
	// MinClass and MaxClass are the smallest and the largest of the size classes
	// that GetSize chooses from, in bytes. There is one for each power of two from
	// the one to the other, besides that of Config.Size.
	MinClass = 8 << 10
	MaxClass = 64 << 20
)

// classes is how many powers of two there are.
const classCount = 14

// magazineBytes limits how much memory the stacks of one magazine may have, unless
// two of them have more.
const magazineBytes = 1 << 20

// class holds all stacks of one size: the arenas they were cut from, and those
// that are cached.
//
// Its lock guards the depot, and is held for a few instructions only, never over a
// system call. The arenas are guarded by the grow lock of the pool, which comes
// first where both are needed.
type class struct {
	pool      *Pool
	geometry  geometry
	capacity  uint32     // of each magazine, 0 for none
	magazines []magazine // one for each P
	colours   uint64     // how many different tops there are

	_ [64]byte // what is above is read by all and never written

	mu     sync.Mutex
	closed bool // written with both locks, read with either
	depot  depot
	gets   uint64 // that no magazine served
	puts   uint64 // the same
	misses uint64 // Gets that made a new stack
	cold   uint64 // Gets that no magazine served, of a cached stack without memory
	cooled bool   // a stack has lost its memory since the background last looked
	due    int    // how many of the newest stacks in the depot the policy was not asked about

	// Written with both locks, so that Stats needs mu only.
	arenas    []*arena // everything that is mapped
	mapped    uintptr  // bytes in them
	committed uintptr  // of these, what has rights
	stacks    int      // how many exist, live and cached

	// With the grow lock.
	current *arena   // the one that slots are cut from, nil if none has room
	scratch []*Stack // for Trim
	robbed  uint64   // how many misses there were when magazines of others were last stolen from
}

// newClass makes an empty class.
func (p *Pool) newClass(g geometry) *class {
	c := &class{pool: p, geometry: g, capacity: p.magazine(g.size), colours: p.colours}
	c.depot.order = p.order
	if c.capacity > 0 {
		c.magazines = make([]magazine, max(runtime.GOMAXPROCS(0), runtime.NumCPU()))
	}
	return c
}

// magazine returns the capacity of magazines for stacks of that size.
func (p *Pool) magazine(size uintptr) uint32 {
	switch {
	case p.capacity > 0:
		return uint32(p.capacity)
	case p.capacity < 0, p.order != LIFO:
		return 0
	}
	return uint32(min(DefaultMagazine, max(2, magazineBytes/size)))
}

// all returns the classes that exist, by size.
func (p *Pool) all() []*class {
	if all := p.classes.Load(); all != nil {
		return *all
	}
	return nil // not made by New
}

// classFor returns the class whose stacks have at least so many bytes, which it
// makes if there is none. It costs no system call, and a lock only where the class
// is new.
func (p *Pool) classFor(size int) (*class, error) {
	c := p.main
	if c == nil {
		return nil, errNotMade
	}
	usable := c.geometry.usable()
	if n := uintptr(max(size, 0)); size < 1 || n > max(usable, MaxClass) {
		return nil, fmt.Errorf("stackpool: pool %q: get of a stack of %d bytes: %w: it must be between 1 and %d",
			p.name, size, ErrConfig, max(usable, MaxClass))
	} else if n <= usable && (n > usable/2 || n > MaxClass) {
		return c, nil
	}
	i := bits.Len(uint(max(size, MinClass)-1)) - bits.Len(uint(MinClass-1))
	if c := p.table[i].Load(); c != nil {
		return c, nil
	}
	return p.makeClass(i), nil
}

// makeClass makes the i-th power of two.
func (p *Pool) makeClass(i int) *class {
	p.grow.Lock()
	defer p.grow.Unlock()
	if c := p.table[i].Load(); c != nil {
		return c // somebody else was faster
	}
	g := p.main.geometry
	g.size = g.room(MinClass << i)
	g.stride = g.size + g.guard
	c := p.newClass(g)
	c.closed = p.main.closed
	all := append(slices.Clone(p.all()), c)
	slices.SortFunc(all, func(a, b *class) int { return int(a.geometry.size) - int(b.geometry.size) })
	p.classes.Store(&all)
	p.table[i].Store(c)
	return c
}
