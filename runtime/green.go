package runtime

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"

	"greenthread/asm"
)

// A Thread is a green thread: a function that runs beside others on the carriers
// of a Runtime. It gives way when it calls Yield, Park, Sleep or a primitive of this
// package that makes it wait; whatever blocks in Go blocks its carrier, too, which is
// replaced.
//
// A panic that the function does not recover from ends the program, as a
// goroutine's does, unless [WithPanicInJoin] says otherwise. runtime.Goexit ends the
// thread.
type Thread struct {
	task *task
	id   uint64
}

// Go starts fn as a thread, and does not wait for it. The options are those of a
// coroutine; the stack size and the pool are the runtime's, unless they are given here.
// The error is ErrRuntimeClosed, or wraps ErrBadOption (for a nil fn, too),
// ErrStackLimit or, with a closed pool, stackpool.ErrClosed; fn does not run then. It
// is ErrBubble in a synctest bubble in which the runtime was not made.
//
// A thread needs a goroutine and a warm stack only from its start to its end: one
// that does not wait before its end runs where another has just ended. But a stack is
// set aside for each thread before Go returns, so that all of them can wait at once.
//
//go:noinline
func (r *Runtime) Go(fn func(), options ...Option) (*Thread, error) {
	return r.start(fn, asm.CallerPC(), options)
}

// start is Go, called at pc.
func (r *Runtime) start(fn func(), pc uintptr, options []Option) (*Thread, error) {
	var extra *extra
	if len(options) > 0 {
		var err error
		if extra, err = r.extraOf(options); err != nil {
			return nil, err
		}
	}
	if fn == nil {
		return nil, fmt.Errorf("%w: the function is nil", ErrBadOption)
	}
	parent := asm.Parent{PC: pc}
	if !r.portable {
		if asm.InBubble() {
			return nil, ErrBubble
		}
		parent = asm.Here(pc)
	}
	c := r.callers()
	var t *task
	plain := c != nil && extra == nil
	if plain {
		t = c.newTask()
		t.become(c.newThread(), c.newID(), fn, parent, getLabels())
	} else {
		t = r.newTask(fn, parent, getLabels())
		t.extra = extra
	}
	h := t.handle // once it is spawned, it may be another's
	if plain && !r.profiled && c.spawnCounted(t) {
		r.offer(c)
		r.stir()
		return h, nil
	}
	if err := r.admit(t, false); err != nil {
		t.fn = nil
		t.setState(StateEnded) // a queue that t was in may still lead to it, see list
		if c != nil {
			c.reuse(t)
		}
		return nil, err
	}
	if r.profiled {
		t.profile()
	}
	r.spawn(t, c)
	return h, nil
}

// callers returns the carrier of the caller, nil if that is no thread of r.
func (r *Runtime) callers() *carrier {
	if t := caller(); t != nil && t.rt == r {
		return t.carrier
	}
	return nil
}

// over reports whether t has ended.
func (t *Thread) over() bool {
	state := t.task.State()
	return state == StateEnded || t.gone()
}

// gone reports whether t has ended, and its task may be another thread's.
func (t *Thread) gone() bool { return loadShared(&t.task.handle) != t }

// Current returns the thread that calls it, also in the body of a coroutine, a Do or
// a Pull that the thread has resumed; nil on an ordinary goroutine. On the portable
// backend it reads a stack trace, which is slow, and coroutines have goroutines of
// their own, on which it is nil.
func Current() *Thread {
	if t := caller(); t != nil {
		return t.handle
	}
	return nil
}

// ID returns a number that no other thread or coroutine of the process has.
func (t *Thread) ID() uint64 { return t.id }

// Name returns the name that WithName gave, or "".
func (t *Thread) Name() string { return t.task.name() }

// Done returns a channel that is closed when the thread has ended.
func (t *Thread) Done() <-chan struct{} {
	if t.over() {
		return closedChan
	}
	p := t.task.partyOf()
	if t.over() { // it may be another thread's
		return closedChan
	}
	p.lock.lock()
	defer p.lock.unlock()
	if p.ended {
		return closedChan
	}
	if p.done == nil {
		p.done = make(chan struct{})
	}
	return p.done
}

// closedChan is closed.
var closedChan = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// Join waits until the thread has ended, or ctx ends: the error is its cause
// then, and the thread goes on. After the end the error is nil, whatever ctx is, and
// however fn has ended, but for a thread with [WithPanicInJoin] that has panicked: then
// it is its *PanicError. Join may be called by many, and again. A thread that joins
// itself waits until ctx ends.
func (t *Thread) Join(ctx context.Context) error {
	point()
	if !t.over() {
		if err := t.join(ctx); err != nil {
			return err
		}
	}
	// A task that has panicked, or could have, is not used again.
	if p := t.task.party.Load(); p != nil && p.failure != nil {
		return p.failure
	}
	return nil
}

func (t *Thread) join(ctx context.Context) error {
	limit := limit{ctx: ctx}
	w := enlist()
	defer w.discharge()
	p := t.task.partyOf()
	if t.over() { // p may be another thread's
		return nil
	}
	p.lock.lock()
	if p.ended {
		p.lock.unlock()
		return nil
	}
	if limit.never() {
		p.joiners.push(&w.entry)
		w.wait(&p.lock, WaitJoin)
		return nil
	}
	w.begin()
	p.joiners.push(&w.entry)
	p.lock.unlock()
	if w.waitFor(limit, WaitJoin) == codeGranted {
		return nil
	}
	p.lock.lock()
	p.joiners.remove(&w.entry)
	p.lock.unlock()
	return context.Cause(ctx)
}

// Yield lets other ready threads run first; with none it returns at once. On an
// ordinary goroutine, where Current is nil, and in a thread that is locked to its
// kernel thread, it is runtime.Gosched.
func Yield() {
	t, ctx := own()
	if t == nil {
		t, ctx = current()
		if t == nil || ctx != nil && !t.canLeave(ctx) {
			runtime.Gosched()
			return
		}
	}
	c := t.carrier
	if next := c.next(); next != nil || atomic.LoadUint32(&c.replaced) != 0 {
		if head, deep := c.ring.deep(); deep {
			c.ring.prefetch(head)
		}
		c.leave(t, ctx, requeue, next)
	} else if s := c.rt.sim; s != nil {
		s.step(c.rt)
		s.resumed()
	}
}
