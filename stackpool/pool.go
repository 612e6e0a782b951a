package stackpool

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// Pool makes, keeps and hands out stacks of one size. Its methods may be called
// from any goroutine. A pool that is dropped without Close keeps its memory
// mapped for ever: the pool cannot know who still has the addresses.
//
// There are two locks. mu guards the cache and is held for a few instructions
// only, never over a system call. grow guards the arenas, and is held while the
// pool asks the kernel for something. When both are needed, grow comes first.
type Pool struct {
	mu     sync.Mutex
	closed bool  // written with both locks, read with either
	cache  depot // what Get takes from
	live   int   // stacks between Get and Put
	peak   int   // the highest that live has been
	stacks int   // stacks that exist, live and cached; written with both locks
	hits   uint64
	misses uint64
	puts   uint64

	_ [64]byte // what follows is read by all and written rarely

	name     string
	asked    GuardKind // as configured
	geometry geometry
	mem      memory // the kernel, or a test's idea of it

	grow    sync.Mutex
	current *arena   // the one that slots are cut from, nil if none has room
	lastID  uint64   // of the stack cut last
	scratch []*Stack // for Trim
	maps    mapCount // memory maps of the process

	// Written with both locks, so that Stats needs mu only.
	arenas []*arena  // everything that is mapped
	mapped uintptr   // bytes in them
	kind   GuardKind // what new guards are made by; see setKind

	refused  atomic.Uint64
	trims    atomic.Uint64
	released atomic.Uint64
	unmapped atomic.Uint64
	rearms   atomic.Uint64
}

// poolNumber names the pools that have no name.
var poolNumber atomic.Uint64

// New makes an empty pool; it maps nothing yet. The first call in a process
// probes how guards work here, which takes a few system calls. The error is a
// ConfigError for a value out of range, and wraps errors.ErrUnsupported where
// there are no pools (outside of Linux) or where the asked kind of guard does not
// work.
func New(c Config) (*Pool, error) {
	mem, err := kernelMemory()
	if err != nil {
		return nil, fmt.Errorf("stackpool: %w", err)
	}
	return newPool(c, mem)
}

// newPool is New on a memory of the caller's choice.
func newPool(c Config, mem memory) (*Pool, error) {
	g, err := c.geometry()
	if err != nil {
		return nil, err
	}
	kind := c.GuardKind
	if kind == GuardAuto || kind == GuardMadvise {
		switch err := mem.probeGuard(); {
		case err == nil:
			kind = GuardMadvise
		case kind == GuardMadvise:
			return nil, fmt.Errorf("stackpool: guards by madvise do not work here, take GuardAuto or GuardMprotect: %w", err)
		default:
			kind = GuardMprotect
		}
	}
	name := c.Name
	if name == "" {
		name = fmt.Sprintf("pool-%d", poolNumber.Add(1))
	}
	return &Pool{name: name, asked: c.GuardKind, kind: kind, geometry: g, mem: mem}, nil
}

// Name returns the pool's name.
func (p *Pool) Name() string { return p.name }

// Get returns a stack with its guard in force: the one that was put back last, or
// a new one if there is none. What is in its memory is left over from its last
// use, zero if it is new or was trimmed.
//
// A warm Get takes one uncontended mutex, allocates nothing and makes no system
// call. A Get that must grow the pool makes one or a few, and waits for other
// calls that do. The error is ErrClosed, a LimitError if there can be no more
// stacks, or wraps ErrGuard if the kernel refused the guard that was asked for.
func (p *Pool) Get() (*Stack, error) {
	p.mu.Lock()
	if s := p.cache.pop(); s != nil {
		p.hand(s)
		p.hits++
		p.mu.Unlock()
		return s, nil
	}
	p.mu.Unlock()
	return p.getSlow()
}

// hand marks a stack as live. Needs mu.
func (p *Pool) hand(s *Stack) {
	s.state.Store(stateLive)
	p.live++
	if p.live > p.peak {
		p.peak = p.live
	}
}

// Put gives a stack back that Get returned; the caller must not touch it again.
// Its memory stays as it is, warm for the next Get, until Trim. If its guard was
// opened, Rearm comes first.
//
// A stack that cannot be taken is refused with a StackError, and nothing changes:
// ErrDoublePut, ErrForeignStack, or ErrInUse for a stack that is occupied or that
// the caller is running on. (A stale pointer to a stack that was handed out again
// cannot be told from its new owner's: a descriptor is an identity, not a
// ticket.)
//
// It costs one compare-and-swap and one uncontended mutex, allocates nothing and
// makes no system call. After Close it gives the memory back to the kernel
// instead; if the kernel refuses, the error says so, the stack is taken
// nevertheless, and another Close tries again.
func (p *Pool) Put(s *Stack) error {
	if s == nil || s.pool != p {
		return p.refuse(s, ErrForeignStack)
	}
	if s.under() {
		return p.refuse(s, ErrInUse)
	}
	if !s.state.CompareAndSwap(stateLive, stateCached) {
		return p.misput(s)
	}
	s.warm = true
	p.mu.Lock()
	p.live--
	p.puts++
	if p.closed {
		p.mu.Unlock()
		return p.putClosed(s)
	}
	p.cache.push(s)
	p.mu.Unlock()
	return nil
}

// misput finds out why a stack could not be put back.
func (p *Pool) misput(s *Stack) error {
	switch s.state.Load() {
	case stateOccupied:
		return p.refuse(s, ErrInUse)
	case stateGone:
		p.mu.Lock()
		closed := p.closed
		p.mu.Unlock()
		if closed {
			return p.refuse(s, fmt.Errorf("%w, and %w", ErrDoublePut, ErrClosed))
		}
	}
	return p.refuse(s, ErrDoublePut)
}

// refuse makes the error of a Put to this pool.
func (p *Pool) refuse(s *Stack, err error) error {
	return &StackError{Op: "put", Stack: s.String(), Pool: p.name, Err: err}
}

// setKind changes the kind of guard for everything to come. Needs grow.
func (p *Pool) setKind(k GuardKind) {
	p.mu.Lock()
	p.kind = k
	p.mu.Unlock()
}
