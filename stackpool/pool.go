package stackpool

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// Pool makes, keeps and hands out stacks. Its methods may be called from any
// goroutine. [New] makes one; the zero value is of no use. A pool that is dropped without Close keeps its memory mapped for
// ever: the pool cannot know who still has the addresses.
//
// The grow lock guards the arenas, and is held while the pool asks the kernel for
// something. Each class has a lock of its own for its depot; see class.
type Pool struct {
	name     string
	asked    GuardKind // as configured
	probed   bool      // guards by madvise worked when the pool was made
	kind     atomic.Uint32
	order    Order
	capacity int     // of magazines, as configured
	max      int     // most stacks, 0 for no limit
	maxWarm  int     // most warm stacks in a depot, 0 for no limit
	warmMem  uintptr // most bytes of these, 0 for no limit
	onGet    bool    // Get has more to do than to take
	poison   bool
	hook     func(Event)
	huge     HugePages
	sealing  bool // arenas are committed slot by slot
	prefault uintptr
	colours  uint64
	mem      memory
	main     *class                            // that of Config.Size
	table    [classCount]atomic.Pointer[class] // the powers of two
	classes  atomic.Pointer[[]*class]          // all, by size

	special atomic.Bool           // Put has more to do than to put
	asleep  atomic.Uint32         // number of the rules whose background waits for a Put, or 0
	now     atomic.Uint32         // how many ticks there were
	rules   atomic.Pointer[rules] // the policy in force

	_ [64]byte // what is above is read by all and written rarely

	grow   sync.Mutex
	lastID uint64   // of the stack cut last
	stacks int      // how many exist, live and cached, in all classes
	maps   mapCount // memory maps of the process

	peak      atomic.Int64
	refused   atomic.Uint64
	trims     atomic.Uint64
	released  atomic.Uint64
	unmapped  atomic.Uint64
	rearms    atomic.Uint64
	populated atomic.Uint64
	steals    atomic.Uint64
	calls     atomic.Uint64
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
	p := &Pool{name: name, probed: kind == GuardMadvise, asked: c.GuardKind, order: c.Order, capacity: c.Magazine, max: c.MaxStacks}
	p.kind.Store(uint32(kind))
	p.mem = counted{mem, &p.calls}
	p.maxWarm, p.warmMem = c.MaxWarm, uintptr(c.MaxWarmBytes)
	p.setMemory(c, kind)
	r, err := p.newRules(c.Policy)
	if err != nil {
		return nil, err
	}
	if p.enact(r); r.plan.Every > 0 {
		p.asleep.Store(r.number)
	}
	p.main = p.newClass(g)
	p.classes.Store(&[]*class{p.main})
	return p, nil
}

// Name returns the pool's name.
func (p *Pool) Name() string { return p.name }

// String describes the pool in one line: its name, its stacks, what is mapped. It
// costs what Stats costs.
func (p *Pool) String() string {
	if p == nil {
		return "no pool"
	}
	t := p.Stats()
	state := ""
	if t.Closed {
		state = ", closed"
	}
	return fmt.Sprintf("pool %q of stacks of %d bytes with guards of %d (%v): %d live, %d cached, %d bytes mapped in %d arenas%s",
		p.name, t.StackSize, t.GuardSize, t.Guard, t.Live, t.Cached, t.Mapped, t.Arenas, state)
}

// guardKind returns what new guards are made by.
func (p *Pool) guardKind() GuardKind { return GuardKind(p.kind.Load()) }

// Get returns a stack of Config.Size with its guard in force: one from the cache,
// which with the default order is the one that was put back last on this carrier,
// or a new one. What is in its memory is left over from its last use, zero if it
// is new or was trimmed.
//
// A warm Get takes no lock, allocates nothing and makes no system call. One in
// eight or so takes an uncontended mutex to fill the magazine. A Get that must
// grow the pool makes one or a few system calls, and waits for other calls that
// do. The error is ErrClosed, a LimitError if there can be no more stacks, or
// wraps ErrGuard if the kernel refused the guard that was asked for.
func (p *Pool) Get() (*Stack, error) {
	c := p.main
	s := c.take()
	if s == nil || p.onGet {
		return c.getSlow(s)
	}
	return s, nil
}

// GetSize is Get for a stack of at least so many usable bytes: from the size class
// that is the next power of two, from MinClass to MaxClass, or from that of
// Config.Size where this is closer. The stack's Size is what it really has. The
// error wraps ErrConfig if there is no class so large.
func (p *Pool) GetSize(size int) (*Stack, error) {
	c, err := p.classFor(size)
	if err != nil {
		return nil, err
	}
	s := c.take()
	if s == nil || p.onGet {
		return c.getSlow(s)
	}
	return s, nil
}

// Put gives a stack back that Get returned; the caller must not touch it again.
// What becomes of its memory is up to Config.Policy; by default it stays as it is,
// warm for the next Get, until the stack has rested for some seconds, or until
// Trim. If its guard was opened, Rearm comes first; if its size was changed by
// SetGuard, the memory is discarded.
//
// A stack that cannot be taken is refused with a StackError, and nothing changes:
// ErrDoublePut, ErrForeignStack, or ErrInUse for a stack that is occupied or that
// the caller is running on. (A stale pointer to a stack that was handed out again
// cannot be told from its new owner's: a descriptor is an identity, not a
// ticket.)
//
// It costs one compare-and-swap, allocates nothing and makes no system call (unless
// the policy wants one at each Put); one
// in eight or so takes an uncontended mutex to empty the magazine by half. After
// Close it gives the memory back to the kernel instead; if the kernel refuses, the
// error says so, the stack is taken nevertheless, and another Close tries again.
func (p *Pool) Put(s *Stack) error {
	if s == nil || s.class == nil || s.class.pool != p {
		return p.refuse(s, ErrForeignStack)
	}
	if s.under() {
		return p.refuse(s, ErrInUse)
	}
	if !s.state.CompareAndSwap(stateLive, stateCached) {
		return p.misput(s)
	}
	s.heat = heatWarm
	if p.special.Load() || s.odd {
		return s.class.putSpecial(s)
	}
	if s.class.add(s) {
		p.stir()
		return nil
	}
	return s.class.putSlow(s)
}

// misput finds out why a stack could not be put back.
func (p *Pool) misput(s *Stack) error {
	switch s.state.Load() {
	case stateOccupied:
		return p.refuse(s, ErrInUse)
	case stateGone:
		if p.isClosed() {
			return p.refuse(s, fmt.Errorf("%w, and %w", ErrDoublePut, ErrClosed))
		}
	}
	return p.refuse(s, ErrDoublePut)
}

// refuse makes the error of a Put to this pool.
func (p *Pool) refuse(s *Stack, err error) error {
	return &StackError{Op: "put", Stack: s.String(), Pool: p.name, Err: err}
}

// isClosed tells whether Close was called.
func (p *Pool) isClosed() bool {
	p.main.mu.Lock()
	defer p.main.mu.Unlock()
	return p.main.closed
}
