package runtime

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"greenthread/asm"
	"greenthread/stackpool"
)

// ErrRuntimeClosed: the runtime takes no more threads.
var ErrRuntimeClosed = errors.New("greenthread: the runtime is closed")

// A Config says how a Runtime is made. The zero value is a good one.
type Config struct {
	// Carriers is how many threads run at the same time; 0 is GOMAXPROCS. More
	// than GOMAXPROCS take turns.
	Carriers int
	// StackSize is the usable size of each thread's stack in bytes, from
	// MinStackSize to MaxStackSize; 0 is DefaultStackSize.
	StackSize int
	// Pool is where the stacks come from; nil is a pool of this package's own.
	Pool *stackpool.Pool
}

// MaxCarriers is the largest Config.Carriers.
const MaxCarriers = 1024

// A Runtime runs green threads, many on few kernel threads: each of its carriers
// is a goroutine that switches from one thread to the next. A thread that waits
// for another costs its carrier one switch; one that blocks in Go (on a channel,
// a lock, the network, in a system call) blocks the carrier, which is replaced
// within a few milliseconds.
type Runtime struct {
	config    config
	isDefault bool
	carriers  int    // how many shall run
	cache     *cache // of threads; nil on the portable backend

	live    atomic.Int64 // threads that have not ended
	closing atomic.Bool
	ended   chan struct{} // closed when closing and the last thread has ended
	endOnce sync.Once

	all    atomic.Pointer[[]*carrier] // never shrinks but by retirement, copied to change
	global globalQueue

	mu       sync.Mutex // guards idle, and changes of all
	idle     []*carrier
	idling   atomic.Int32 // len(idle)
	spinning atomic.Int32 // a carrier has been woken, and looks for work
	blocked  atomic.Int32 // carriers whose thread blocks in Go, as the monitor saw
	quiet    atomic.Bool  // the monitor waits for a word from watch
	watch    chan struct{}
}

// New makes a runtime and starts its carriers. It does not wait for them. The error
// wraps ErrBadOption for a value out of range, negative ones included, and for a
// pool with unsuitable stacks. On the portable backend, and in a synctest bubble,
// threads are goroutines, and all of c is ignored once it was found valid.
func New(c Config) (*Runtime, error) {
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
	r := &Runtime{
		config:   configOf(options),
		carriers: c.Carriers,
		ended:    make(chan struct{}),
		watch:    make(chan struct{}, 1),
	}
	if r.config.err != nil {
		return nil, r.config.err
	}
	if r.carriers == 0 {
		r.carriers = runtime.GOMAXPROCS(0)
	}
	r.all.Store(new([]*carrier))
	if !native() || asm.InBubble() {
		return r, nil
	}
	cache, err := cacheOf(&r.config)
	if err != nil {
		return nil, err
	}
	r.cache = cache
	r.mu.Lock()
	for range r.carriers {
		r.addCarrier()
	}
	r.mu.Unlock()
	go r.monitor()
	return r, nil
}

// Close lets no more threads be started, waits until all have ended, and stops
// the carriers. If ctx ends first, the error wraps its cause and says how many
// threads are left; they go on, and Close may be called again.
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
		return fmt.Errorf("greenthread: Close: %d threads have not ended: %w", r.live.Load(), context.Cause(ctx))
	}
}

// checkEnd stops the carriers when the last thread has ended after Close.
func (r *Runtime) checkEnd() {
	if !r.closing.Load() || r.live.Load() != 0 {
		return
	}
	r.endOnce.Do(func() {
		close(r.ended)
		r.mu.Lock()
		for _, c := range r.idle {
			c.parker.Unpark()
		}
		r.idle = nil
		r.idling.Store(0)
		r.mu.Unlock()
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
	}
	return r, err
})

// Default returns the runtime that Go and Run use, started on first use with the
// zero Config, which takes some milliseconds. It is never closed.
func Default() (*Runtime, error) { return defaultRuntime() }

// Go starts fn as a thread of the default runtime and does not wait for it. Its errors
// are those of Default and [Runtime.Go].
func Go(fn func(), options ...Option) (*Thread, error) {
	r, err := Default()
	if err != nil {
		return nil, err
	}
	return r.Go(fn, options...)
}

// Run runs fn as a thread of the default runtime and waits for its end: for
// programs that live inside it. Its errors are those of Go; fn has not run then. A
// panic of fn ends the program, and runtime.Goexit only fn. A thread that calls Run
// blocks in Go, with its carrier.
func Run(fn func()) error {
	t, err := Go(fn)
	if err != nil {
		return err
	}
	return t.Join(context.Background())
}

// ready puts t, which waits for nothing any more, into a queue, and wakes a
// carrier if one is idle.
func (r *Runtime) ready(t *Thread) {
	if self := Current(); self != nil && self.rt == r {
		self.carrier.push(t)
	} else {
		r.global.push(t)
	}
	r.wake()
	if r.quiet.Load() {
		select {
		case r.watch <- struct{}{}:
		default:
		}
	}
}

// wake sees to it that somebody looks for work, if anybody is idle: at most one
// carrier is woken, and it wakes the next when it has found something.
func (r *Runtime) wake() {
	if r.idling.Load() == 0 || r.spinning.Load() != 0 || !r.spinning.CompareAndSwap(0, 1) {
		return
	}
	r.mu.Lock()
	n := len(r.idle)
	if n == 0 {
		r.mu.Unlock()
		r.spinning.Store(0)
		return
	}
	c := r.idle[n-1]
	r.idle = r.idle[:n-1]
	r.idling.Store(int32(n - 1))
	r.mu.Unlock()
	c.parker.Unpark()
}

// hasWork reports whether any queue has a thread.
func (r *Runtime) hasWork() bool {
	if r.global.length() > 0 {
		return true
	}
	for _, c := range *r.all.Load() {
		if c.ring.length() > 0 {
			return true
		}
	}
	return false
}

// A globalQueue is first in, first out.
type globalQueue struct {
	mu    sync.Mutex
	head  *Thread
	tail  *Thread
	count atomic.Int64
}

func (q *globalQueue) length() int { return int(q.count.Load()) }

func (q *globalQueue) push(t *Thread) {
	q.mu.Lock()
	t.next = nil
	if q.head == nil {
		q.head = t
	} else {
		q.tail.next = t
	}
	q.tail = t
	q.count.Add(1)
	q.mu.Unlock()
}

// take returns the first thread, nil if there is none, and moves up to batch more
// to ring, which is the caller's own.
func (q *globalQueue) take(r *ring, batch int) *Thread {
	if q.count.Load() == 0 {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	first := q.pop()
	for range batch {
		t := q.head
		if t == nil || !r.push(t) {
			break
		}
		q.pop()
	}
	return first
}

func (q *globalQueue) pop() *Thread {
	t := q.head
	if t != nil {
		q.head = t.next
		t.next = nil
		q.count.Add(-1)
	}
	return t
}
