package runtime

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"greenthread/asm"
	"greenthread/stackpool"
)

// ErrRuntimeClosed: the runtime takes no more threads.
var ErrRuntimeClosed = errors.New("greenthread: the runtime is closed")

// A Config says how a Runtime is made. The zero value is a good one.
type Config struct {
	// Carriers is how many threads run at the same time; 0 is GOMAXPROCS. More
	// than GOMAXPROCS take turns. With one, a thread that computes without giving
	// way (see Yield) holds up all others, those of timers included: nobody else is there to
	// run them, and only a carrier whose thread blocks in Go is replaced.
	Carriers int
	// StackSize is the usable size of each thread's stack in bytes, from
	// MinStackSize to MaxStackSize; 0 is DefaultStackSize.
	StackSize int
	// Pool is where the stacks come from; nil is a pool of this package's own.
	Pool *stackpool.Pool
	// LockThreads locks each carrier to a kernel thread of its own, so that what
	// runs on it stays on that thread until it is switched out.
	LockThreads bool
	// CPUs are the CPUs to which carriers are pinned, in turn; it implies
	// LockThreads. Empty is none. Only Linux can pin; elsewhere it is ErrBadOption. New
	// looks whether this process may use them; a carrier that cannot be pinned later runs anywhere,
	// see Stats.Unpinned.
	CPUs []int
	// OnDeadlock is called, by a goroutine of its own, when all threads wait and nobody
	// is left to wake one: see DeadlockError. If it is nil, the report is written to
	// standard error. The process goes on in any case.
	OnDeadlock func(*DeadlockError)
	// Hook is told what happens to carriers and threads, by those to whom it happens,
	// several at a time. It runs in the middle of the scheduler, with locks held: it must
	// neither wait nor panic, must need little stack (a few KiB), and may call of this package only ID, Name, Labels and
	// Creator of the event's thread. To count, and to write into a buffer of its own, is fine.
	// A nil Hook costs one comparison where it would be called.
	Hook func(Event)
	// Profile adds the threads to the profile "greenthread" of runtime/pprof, which
	// shows the stacks on which the threads were started that have not ended. It costs a
	// stack trace and a lock per thread, some microseconds; without it, nothing. A thread of
	// AfterFunc is there from that call on, and a Ticker that is not stopped is there for its threads.
	Profile bool
}

// MaxCarriers is the largest Config.Carriers.
const MaxCarriers = 1024

// A Runtime runs green threads, many on few kernel threads: each of its carriers
// is a goroutine that switches from one thread to the next. A thread that waits
// for another costs its carrier one switch; one that blocks in Go (on a channel,
// a lock, the network, in a system call) blocks the carrier, which is replaced
// within one or two milliseconds.
type Runtime struct {
	carriers  int // how many shall run
	locked    bool
	cpus      []int
	portable  bool
	sim       *simulation // nil unless it is simulated
	isDefault bool
	birth     time.Time
	ctx       context.Context // ends when Close is called
	cancel    context.CancelCauseFunc
	cache     *cache // nil on the portable backend
	stable    stable
	starved   globalQueue // threads that wait for an anchor

	live    atomic.Int64 // threads that have not ended
	closing atomic.Bool
	ended   chan struct{} // closed when closing and the last thread has ended
	endOnce sync.Once

	all    atomic.Pointer[[]*carrier] // copied to change
	global globalQueue
	timers timerHeap
	coarse atomic.Int64 // now, when the monitor looked last

	mu       spin // guards what follows, and changes of all
	idle     []*carrier
	numbers  int    // of carriers, ever
	wakes    uint64 // of carriers
	retired  counts // of carriers that have retired
	idling   atomic.Int32
	spinning atomic.Int32 // a carrier has been woken, and looks for work
	blocked  atomic.Int32 // carriers whose thread blocks in Go, as the monitor saw
	bubbled  bool         // the clock is that of a synctest bubble
	attended bool         // it is simulated, or bubbled: see resumed
	stuck    atomic.Bool  // a carrier does not get to what it has to run, as the monitor saw
	singles  lull         // of wakes for one ready thread ...
	crowds   lull         // ... and for several
	nested   atomic.Bool  // a coroutine has run in a thread, see nests
	quiet    atomic.Bool  // the monitor waits for a word from watch
	watch    chan struct{}

	keeper      atomic.Pointer[carrier] // who sleeps until the next timer ...
	keeperUntil atomic.Int64            // ... and until when
	unpinned    atomic.Int32            // carriers that could not be pinned
	misplaced   atomic.Pointer[error]   // why the first of them could not

	watched      bool // for deadlocks
	hook         func(Event)
	profiled     bool
	expectations expectations
	onDeadlock   func(*DeadlockError)
	reported     moment // belongs to who looks for deadlocks
	runs         runs
}

// New makes a runtime and starts its carriers. It does not wait for them. The error
// wraps ErrBadOption for a value out of range, negative ones included, for a pool with
// unsuitable stacks, and for a CPU that this process may not use. On the portable
// backend, and in a synctest bubble, threads run on goroutines, and StackSize and Pool
// are ignored once they were found valid.
func New(c Config) (*Runtime, error) { return newRuntime(c, nil) }

// newRuntime is New; with a simulation, there is no monitor.
func newRuntime(c Config, sim *simulation) (*Runtime, error) {
	if c.Carriers < 0 || c.Carriers > MaxCarriers {
		return nil, fmt.Errorf("%w: %d carriers, it must be from 0 to %d", ErrBadOption, c.Carriers, MaxCarriers)
	}
	var options []Option
	if c.StackSize != 0 {
		options = append(options, WithStackSize(c.StackSize))
	}
	if c.Pool != nil {
		options = append(options, WithPool(c.Pool))
	}
	stacks := configOf(options)
	if stacks.err != nil {
		return nil, stacks.err
	}
	if err := checkCPUs(c.CPUs); err != nil {
		return nil, err
	}
	bubbled := inBubble()
	r := &Runtime{
		carriers: c.Carriers,
		locked:   c.LockThreads || len(c.CPUs) > 0,
		cpus:     slices.Clone(c.CPUs),
		portable: bubbled || !native(),
		bubbled:  bubbled,
		attended: bubbled || sim != nil,
		sim:      sim,
		birth:    time.Now(),
		ended:    make(chan struct{}),
		watch:    make(chan struct{}, 1),

		onDeadlock: c.OnDeadlock,
		hook:       c.Hook,
		profiled:   c.Profile,
	}
	r.expectations.all = map[*expected]struct{}{}
	r.ctx, r.cancel = context.WithCancelCause(context.Background())
	if r.carriers == 0 {
		r.carriers = runtime.GOMAXPROCS(0)
	}
	r.all.Store(new([]*carrier))
	r.timers.init()
	r.keeperUntil.Store(noTime)
	r.coarse.Store(r.now())
	if !r.portable {
		cache, err := cacheOf(&stacks)
		if err != nil {
			return nil, err
		}
		r.cache, r.stable.cache = cache, cache
	}
	r.mu.lock()
	for range r.carriers {
		r.addCarrier()
	}
	r.leftAlone()
	r.mu.unlock()
	watchDeadlocks(r)
	enroll(r)
	if sim == nil {
		go r.monitor()
	}
	return r, nil
}

// Close lets no more threads be started, tells those that there are by the end of
// their [Context], waits until all have ended, and stops the carriers. If ctx ends
// first, the error wraps its cause and says how many threads are left, and what they
// do; they go on, and Close may be called again.
//
// It blocks the calling goroutine, and a thread of another runtime with its
// carrier. A thread of r that calls Close waits for itself, until ctx ends. Closing
// twice is fine. The default runtime is not closed: the error wraps
// errors.ErrUnsupported.
func (r *Runtime) Close(ctx context.Context) error {
	if r.isDefault {
		return fmt.Errorf("greenthread: the default runtime cannot be closed: %w", errors.ErrUnsupported)
	}
	r.closing.Store(true)
	r.cancel(ErrRuntimeClosed)
	r.checkEnd()
	select {
	case <-r.ended:
		return nil
	default:
	}
	select {
	case <-r.ended:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("greenthread: Close: %s: %w", r.left(), context.Cause(ctx))
	}
}

// checkEnd stops the carriers when the last thread has ended after Close.
func (r *Runtime) checkEnd() {
	if !r.closing.Load() || r.live.Load() != 0 {
		return
	}
	r.endOnce.Do(func() {
		close(r.ended)
		r.mu.lock()
		for _, c := range r.idle {
			c.rouse()
		}
		r.idle = nil
		r.idling.Store(0)
		r.mu.unlock()
		dismissRuntime(r)
	})
}

// stopped reports whether the carriers shall end.
func (r *Runtime) stopped() bool {
	select {
	case <-r.ended:
		return true
	default:
		return false
	}
}

var defaultRuntime = sync.OnceValues(func() (*Runtime, error) {
	r, err := New(Config{})
	if err == nil {
		r.isDefault = true
		startedDefault.Store(r)
	}
	return r, err
})

// startedDefault is the default runtime, nil until its first use.
var startedDefault atomic.Pointer[Runtime]

// Default returns the runtime that Go and Run use, started on first use with the
// zero Config, which takes some milliseconds. It is never closed. In a synctest bubble
// the error wraps ErrBubble: a runtime that is made there by New serves.
func Default() (*Runtime, error) {
	if native() && asm.InBubble() {
		return nil, fmt.Errorf("%w: the default runtime; one that New makes there can", ErrBubble)
	}
	return defaultRuntime()
}

// Go starts fn as a thread of the default runtime and does not wait for it. Its errors
// are those of Default and [Runtime.Go].
//
//go:noinline
func Go(fn func(), options ...Option) (*Thread, error) {
	pc := asm.CallerPC()
	r, err := Default()
	if err != nil {
		return nil, err
	}
	return r.start(fn, pc, options)
}

// Run runs fn as a thread of the default runtime and waits for its end: for
// programs that live inside it. Its errors are those of Go, fn has not run then; or a
// *[DeadlockError], when all threads wait and nobody is left to wake one: fn has not
// ended then. A panic of fn ends the program, and runtime.Goexit only fn. A thread that
// calls Run blocks in Go, with its carrier.
//
//go:noinline
func Run(fn func()) error {
	pc := asm.CallerPC()
	r, err := Default()
	if err != nil {
		return err
	}
	t, err := r.start(fn, pc, nil)
	if err != nil {
		return err
	}
	return r.joinRun(t)
}
