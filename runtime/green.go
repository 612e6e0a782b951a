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
// of a Runtime. It gives way when it calls Yield, Park, Sleep or a primitive of this
// package that makes it wait; whatever blocks in Go blocks its carrier, too, which is
// replaced.
//
// A panic that the function does not recover from ends the program, as a
// goroutine's does, unless [WithPanicInJoin] says otherwise. runtime.Goexit ends the
// thread.
type Thread struct {
	rt      *Runtime
	th      *thread       // where it runs, from its start to its end
	g       asm.Goroutine // native: what to resume, while it is suspended
	carrier *carrier      // what it runs on; set by whoever resumes it
	next    *Thread       // in the global queue
	token   atomic.Uint64 // see Park
	fn      func()        // until it starts
	state   uint32        // see state.go
	lock    spin          // guards what is in party
	party   atomic.Pointer[party]
	since   int64 // when it was suspended, by the coarse clock
	id      uint64
	parent  asm.Parent     // who has started it, and where
	labels  unsafe.Pointer // pprof labels of who has started it
	extra   *extra         // what few threads have
	locals  *[]local       // see Local
}

// extra is what only threads have that were started with options.
type extra struct {
	name    string
	ctx     context.Context
	carries bool   // a panic goes to Join
	cache   *cache // it has a stack of its own kind, from here

	expected *expected // it is a timer's, and is in the profile as this
}

// A party is what a thread needs if somebody waits for its end, or it is a panic.
type party struct {
	joiners queue
	done    chan struct{} // for Done
	failure *PanicError
}

// partyOf returns the party of t, made on demand. The caller holds t.lock, and asks
// over afterwards, since finish may not have seen it.
func (t *Thread) partyOf() *party {
	p := t.party.Load()
	if p == nil {
		p = new(party)
		t.party.Store(p)
	}
	return p
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
	c := r.callers()
	t := c.newThread()
	t.rt, t.fn = r, fn
	if len(options) > 0 {
		if err := t.configure(options); err != nil {
			return nil, err
		}
	}
	if fn == nil {
		return nil, fmt.Errorf("%w: the function is nil", ErrBadOption)
	}
	t.labels = getLabels()
	if r.portable {
		t.parent.PC = pc
	} else {
		if asm.InBubble() {
			return nil, ErrBubble
		}
		t.parent = asm.Here(pc)
	}
	if c != nil && !r.profiled && t.extra == nil && c.spawnCounted(t) {
		r.offer(c)
		r.stir()
		return t, nil
	}
	if err := r.admit(t, false); err != nil {
		return nil, err
	}
	if r.profiled {
		t.profile()
	}
	r.spawn(t, c)
	return t, nil
}

// configure applies options to t.
func (t *Thread) configure(options []Option) error {
	r, c := t.rt, configOf(options)
	if c.err != nil {
		return c.err
	}
	t.extra = &extra{name: c.name, ctx: c.ctx, carries: c.carries}
	if r.portable || c.size == 0 && c.pool == nil {
		return nil
	}
	cache, err := cacheOf(&c)
	if err == nil && cache != r.cache {
		t.extra.cache = cache
	}
	return err
}

// callers returns the carrier of the caller, nil if that is no thread of r.
func (r *Runtime) callers() *carrier {
	if self := Current(); self != nil && self.rt == r {
		return self.carrier
	}
	return nil
}

// newThread returns a zero Thread. A carrier makes several at a time, since that is
// faster, and few are kept from being collected by one that is still in use. c may be nil.
func (c *carrier) newThread() *Thread {
	if c == nil {
		return new(Thread)
	}
	n := c.newThreads
	if n == 0 {
		n = batch
		c.threads = new([batch]Thread)
	}
	c.newThreads = n - 1
	return &c.threads[n-1]
}

// batch is how many threads a carrier makes at a time.
const batch = 4

// spawn makes the new thread t ready, on c, which the caller has, if that is not nil.
func (r *Runtime) spawn(t *Thread, c *carrier) {
	if c != nil {
		t.id = c.newID()
		c.lock.lock()
		c.fresh.push(t)
		c.lock.unlock()
		r.offer(c)
	} else {
		t.id = lastID.Add(1)
		r.global.push(t)
		r.wake()
	}
	r.stir()
}

// finish makes known that t, which ran on c, has ended. If it may be the turn of a fresh
// thread, that is taken in the same breath, and returned.
func (t *Thread) finish(c *carrier) *Thread {
	c.counts.ended.inc() // first, see live.go
	t.setState(StateEnded)
	// Whoever joins stores the party, and then looks whether t is over. Here, it is the
	// other way round, with the lock's atomic operation between.
	c.lock.lock()
	last := c.giveSpare()
	p := t.party.Load()
	var next *Thread
	if p == nil && c.freshIsNext() {
		next = c.fresh.popNewest()
	}
	c.lock.unlock()
	if p != nil {
		p.end(&t.lock)
	}
	if last {
		c.rt.checkEnd()
	}
	return next
}

// end wakes all who wait. No more come.
func (p *party) end(l *spin) {
	l.lock()
	if p.done != nil {
		close(p.done)
	}
	all := p.joiners.popAll()
	l.unlock()
	wakeAll(all.first)
}

func (t *Thread) over() bool { return t.State() == StateEnded }

// Current returns the thread that calls it, also in the body of a coroutine, a Do or
// a Pull that the thread has resumed; nil on an ordinary goroutine. On the portable
// backend it reads a stack trace, which is slow, and coroutines have goroutines of
// their own, on which it is nil.
func Current() *Thread {
	t, _ := current()
	return t
}

// current is Current, with the context in which the thread is.
func current() (*Thread, *asm.Context) {
	if defaultCache.Load() != nil {
		if c := asm.Current(); c != nil {
			if t := loadShared(&threadOf(c).green); t != nil {
				return t, c
			}
			return currentNested(c), c
		}
	}
	if portables.count.Load() == 0 {
		return nil, nil
	}
	return currentPortable(), nil
}

// own is current for a thread on the native backend that is not in a coroutine and can
// be switched out; nil otherwise.
func own() (*Thread, *asm.Context) {
	if defaultCache.Load() == nil {
		return nil, nil
	}
	c := asm.Current()
	if c == nil || c.Locked() {
		return nil, nil
	}
	return loadShared(&threadOf(c).green), c
}

// currentNested looks for the thread that has resumed a coroutine.
func currentNested(c *asm.Context) *Thread {
	for c != nil {
		if t := loadShared(&threadOf(c).green); t != nil {
			t.rt.nests()
			return t
		}
		c = c.Resumer()
	}
	return nil
}

// ID returns a number that no other thread or coroutine of the process has.
func (t *Thread) ID() uint64 { return t.id }

// Name returns the name that WithName gave, or "".
func (t *Thread) Name() string {
	if t.extra == nil {
		return ""
	}
	return t.extra.name
}

// Done returns a channel that is closed when the thread has ended.
func (t *Thread) Done() <-chan struct{} {
	t.lock.lock()
	defer t.lock.unlock()
	p := t.partyOf()
	if p.done == nil {
		if t.over() {
			return closedChan
		}
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
	if p := t.party.Load(); p != nil && p.failure != nil {
		return p.failure
	}
	return nil
}

func (t *Thread) join(ctx context.Context) error {
	limit := limit{ctx: ctx}
	w := enlist()
	defer w.discharge()
	t.lock.lock()
	p := t.partyOf()
	if t.over() {
		t.lock.unlock()
		return nil
	}
	if limit.never() {
		p.joiners.push(&w.entry)
		w.wait(&t.lock, WaitJoin)
		return nil
	}
	w.begin()
	p.joiners.push(&w.entry)
	t.lock.unlock()
	if w.waitFor(limit, WaitJoin) == codeGranted {
		return nil
	}
	t.lock.lock()
	p.joiners.remove(&w.entry)
	t.lock.unlock()
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
		c.leave(t, ctx, requeue, next)
	} else if s := c.rt.sim; s != nil {
		s.step(c.rt)
		s.resumed()
	}
}

// canLeave reports whether t, which is the caller and is in ctx, can be switched out.
func (t *Thread) canLeave(ctx *asm.Context) bool {
	if ctx != &t.th.ctx {
		return t.canLeaveNested(ctx)
	}
	return !ctx.Locked()
}

// switches is canLeave, with the context in which t is; nil on the portable backend.
func (t *Thread) switches() (ctx *asm.Context, ok bool) {
	if !t.th.native {
		return nil, true
	}
	ctx = asm.Current()
	return ctx, t.canLeave(ctx)
}

// canLeaveNested is canLeave for a thread that runs in a coroutine.
func (t *Thread) canLeaveNested(c *asm.Context) bool {
	for ; c != nil; c = c.Resumer() {
		if c.LockedUnder() {
			return false
		}
		if c == &t.th.ctx {
			return true
		}
	}
	return false
}

// asWaiter returns the waiter of t, which is the caller.
func (t *Thread) asWaiter() *waiter {
	w := &t.th.waiter
	if w.thread != t {
		w.thread, w.entry.waiter, w.entry.code = t, w, codeGranted
	}
	return w
}

// rest prepares t, which is the caller, to wait until somebody makes it ready: for its
// token, unless there is a locked l, which is given back, or a wait w with a limit, which
// is committed, once t is switched out. A leave with what it returns must follow. (Not in
// here: each frame on the stack of a thread that waits costs the garbage collector time.)
func (t *Thread) rest(l *spin, w *waiter, why Reason) (*carrier, action) {
	c := t.carrier
	then := commit
	if l != nil {
		then, c.held = release, l
	} else if w != nil {
		then = commitWait
	}
	publish64(&t.since, c.rt.coarse.Load())
	t.setWaiting(why)
	if c.rt.hook != nil {
		c.rt.hooked(ThreadPark, c, t, why)
	}
	return c, then
}
