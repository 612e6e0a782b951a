package runtime

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"unsafe"

	"greenthread/asm"
)

// A Thread is a green thread: a function that runs beside others on the carriers
// of a Runtime. It gives way when it calls Yield, Park or Sleep; whatever blocks
// in Go blocks its carrier, too, which is replaced.
//
// A panic that the function does not recover from ends the program, as a
// goroutine's does. runtime.Goexit ends the thread.
type Thread struct {
	rt      *Runtime
	th      *thread  // where it runs, while it lives
	carrier *carrier // what it runs on; set by whoever resumes it
	next    *Thread  // in the global queue
	waiter  waiter   // what it waits with, see asWaiter
	token   atomic.Uint64
	fn      func()
	done    chan struct{}
	locals  []local // see Local
	id      uint64
	name    string
}

// Go starts fn as a thread. The options are those of a coroutine; the stack size
// and the pool are the runtime's, unless they are given here. The error is
// ErrRuntimeClosed, or wraps ErrBadOption (for a nil fn, too), ErrStackLimit or, with
// a closed pool, stackpool.ErrClosed; fn does not run then. Go does not wait for fn;
// where no thread is idle it makes a stack and a goroutine, which takes some
// microseconds.
//
//go:noinline
func (r *Runtime) Go(fn func(), options ...Option) (*Thread, error) {
	c := r.config
	if len(options) > 0 {
		c = configOf(options)
		if c.size == 0 && c.pool == nil {
			c.size, c.pool = r.config.size, r.config.pool
		}
	}
	if fn == nil {
		c.fail(fmt.Errorf("%w: the function is nil", ErrBadOption))
	}
	if c.err != nil {
		return nil, c.err
	}
	r.live.Add(1)
	if r.closing.Load() {
		r.gone()
		return nil, ErrRuntimeClosed
	}
	t := &Thread{rt: r, fn: fn, name: c.name, done: make(chan struct{})}
	if r.cache == nil || asm.InBubble() {
		t.id = lastID.Add(1)
		t.goPortable()
		return t, nil
	}
	cache := r.cache
	if len(options) > 0 {
		var err error
		if cache, err = cacheOf(&c); err != nil {
			r.gone()
			return nil, err
		}
	}
	th, err := cache.get()
	if err != nil {
		r.gone()
		return nil, err
	}
	t.id, t.th = th.id, th
	th.green = t
	th.prepare(t.main, c.name, asm.Here(asm.CallerPC()))
	r.ready(t)
	return t, nil
}

// gone counts a thread that has ended.
func (r *Runtime) gone() {
	if r.live.Add(-1) == 0 {
		r.checkEnd()
	}
}

// main is what the thread runs.
func (t *Thread) main() {
	t.carrier.settle()
	defer t.exit()
	t.fn()
}

// exit is the last thing that the thread does itself. The end of its function,
// or Goexit, then leads to the carrier's loop, which buries it.
func (t *Thread) exit() {
	c := t.carrier
	c.prev, c.action = t, bury
	t.th.ctx.SetBack(c.self)
	raceRelease(unsafe.Pointer(c))
}

// bury gives the stack of an ended thread back and tells those who wait for it.
func (t *Thread) bury() {
	th := t.th
	th.ctx.Learn()
	t.th, t.carrier, t.fn = nil, nil, nil
	th.green = nil
	th.cache.put(th)
	close(t.done)
	t.rt.gone()
}

// Current returns the thread that calls it, nil on an ordinary goroutine, and in
// the body of a coroutine, a Do or a Pull, also if a thread has resumed that. On the
// portable backend it reads a stack trace, which is slow.
func Current() *Thread {
	if defaultCache.Load() != nil {
		if c := asm.Current(); c != nil {
			return threadOf(c).green
		}
	}
	if portables.count.Load() == 0 {
		return nil
	}
	return currentPortable()
}

// ID returns a number that no other thread or coroutine of the process has.
func (t *Thread) ID() uint64 { return t.id }

// Name returns the name that WithName gave, or "".
func (t *Thread) Name() string { return t.name }

// Done returns a channel that is closed when the thread has ended.
func (t *Thread) Done() <-chan struct{} { return t.done }

// Join waits until the thread has ended, or ctx ends: the error is its cause
// then, and the thread goes on. After the end it is nil, whatever ctx is, and however
// fn has ended. It may be called by many, and again. A thread that calls it blocks in
// Go, with its carrier; one that joins itself waits until ctx ends.
func (t *Thread) Join(ctx context.Context) error {
	select {
	case <-t.done:
		return nil
	default:
	}
	select {
	case <-t.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Yield lets other ready threads run first; with none it returns at once. On an
// ordinary goroutine, where Current is nil, and in a thread that is locked to its
// kernel thread, it is runtime.Gosched.
func Yield() {
	t := Current()
	if t == nil || t.th == nil || t.th.ctx.Locked() {
		runtime.Gosched()
		return
	}
	c := t.carrier
	next := c.next()
	if next == nil {
		return
	}
	c.prev, c.action = t, requeue
	c.take(next)
	next.th.ctx.Switch(&t.th.ctx)
	t.carrier.settle() // which may be another now
}

// switches reports whether t, which is the caller, can be switched out.
func (t *Thread) switches() bool { return t.th != nil && !t.th.ctx.Locked() }

// asWaiter returns the waiter of t.
func (t *Thread) asWaiter() *waiter {
	w := &t.waiter
	if w.thread == nil {
		w.thread, w.entry.waiter, w.entry.code = t, w, codeGranted
	}
	return w
}

// suspend switches t, which is the caller, out until somebody makes it ready. It
// waits for its token, unless there is a locked l, which is given back, or a wait w
// with a limit, which is committed, once t is switched out.
func (t *Thread) suspend(l *spin, w *waiter, why Reason) {
	c := t.carrier
	c.prev, c.action, c.lock = t, commit, l
	if l != nil {
		c.action = release
	} else if w != nil {
		c.action = commitWait
	}
	if next := c.next(); next != nil {
		c.take(next)
		next.th.ctx.Switch(&t.th.ctx)
		t.carrier.settle() // which may be another now
	} else {
		c.back(t)
	}
}
