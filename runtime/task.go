package runtime

import (
	"context"
	"sync/atomic"
	"unsafe"

	"greenthread/asm"
)

// A task is what a Thread is for the scheduler, from its start to its end. Then its
// carrier uses it again for another thread, unless something is asked of it after the end:
// it had options, or is simulated. So whoever comes by a Thread must expect that its task
// is another one's by now: that is so if it does not lead back by handle.
//
// Pointers are not stored for nothing: while the garbage collector marks, each store costs
// several times as much as otherwise.
//
// The first line of the cache is what a switch needs.
type task struct {
	th      *thread       // where it runs, from its start to its end
	g       asm.Goroutine // native: what to resume, while it is suspended
	carrier *carrier      // what it runs on; set by whoever resumes it
	fn      func()        // until it starts
	handle  *Thread       // whose task it is, or was last
	token   atomic.Uint64 // see Park
	rt      *Runtime
	state   uint32 // see state.go

	next   *task // in a list
	party  atomic.Pointer[party]
	since  int64 // when it was suspended, by the coarse clock
	id     uint64
	parent asm.Parent     // who has started it, and where
	labels unsafe.Pointer // pprof labels of who has started it
	extra  *extra         // what few threads have; such a task is not used again
}

// extra is what only threads have that were started with options.
type extra struct {
	name    string
	ctx     context.Context
	carries bool   // a panic goes to Join
	cache   *cache // it has a stack of its own kind, from here

	expected *expected // it is a timer's, and is in the profile as this
}

// extraOf returns what options ask for.
func (r *Runtime) extraOf(options []Option) (*extra, error) {
	c := configOf(options)
	if c.err != nil {
		return nil, c.err
	}
	e := &extra{name: c.name, ctx: c.ctx, carries: c.carries}
	if r.portable || c.size == 0 && c.pool == nil {
		return e, nil
	}
	cache, err := cacheOf(&c)
	if err == nil && cache != r.cache {
		e.cache = cache
	}
	return e, err
}

// newTask returns a task that was never used, with a Thread.
func (r *Runtime) newTask(fn func(), parent asm.Parent, labels unsafe.Pointer) *task {
	t := &task{rt: r}
	t.become(&Thread{}, lastID.Add(1), fn, parent, labels)
	return t
}

// newTask returns a task of c's runtime for c, which the caller has.
func (c *carrier) newTask() *task {
	if c.unuseds == 0 {
		return &task{rt: c.rt}
	}
	c.unuseds--
	return c.unused[c.unuseds]
}

// reuse keeps t, which has ended on c, for another thread.
func (c *carrier) reuse(t *task) {
	if c.unuseds == maxUnused || t.extra != nil || t.rt.sim != nil {
		return
	}
	if c.unuseds == len(c.unused) {
		c.unused = append(c.unused, t)
	} else if c.unused[c.unuseds] != t { // it often comes back to where it was
		c.unused[c.unuseds] = t
	}
	c.unuseds++
}

const (
	// maxUnused is how many tasks a carrier keeps: half a megabyte of them.
	maxUnused = 4096
	// batch is how many Threads a carrier makes at a time.
	batch = 16
)

// newThread returns a Thread. A carrier makes several at a time, since that is faster, and
// few are kept from being collected by one that is still in use.
func (c *carrier) newThread() *Thread {
	n := c.newThreads
	if n == 0 {
		n = batch
		c.threads = new([batch]Thread)
	}
	c.newThreads = n - 1
	return &c.threads[n-1]
}

// become makes t the task of h. Threads that it was the task of before may be asked at the
// same time: they see first that it does not lead back.
func (t *task) become(h *Thread, id uint64, fn func(), parent asm.Parent, labels unsafe.Pointer) {
	h.task, h.id = t, id
	storeShared(&t.handle, h)
	t.setToken(tokenOf(id))
	if t.party.Load() != nil {
		t.party.Store(nil)
	}
	t.id, t.fn = id, fn
	storeWord(&t.parent.PC, parent.PC)
	t.parent.Goid = parent.Goid
	if t.labels != labels {
		storePointer(&t.labels, labels)
	}
	t.setState(StateNew)
}

// prefetch has the processor fetch what a switch to t will need.
func (t *task) prefetch() {
	if g := loadWord(&t.g); g != 0 {
		g.Prefetch()
	}
}

// A party is what a thread needs if somebody waits for its end, or it is a panic.
type party struct {
	lock    spin // guards what follows
	ended   bool
	joiners queue
	done    chan struct{} // for Done
	failure *PanicError
}

// partyOf returns the party of t, made on demand. Who has a Thread, asks it over
// afterwards, since the end may not have seen it.
func (t *task) partyOf() *party {
	for {
		if p := t.party.Load(); p != nil {
			return p
		}
		t.party.CompareAndSwap(nil, new(party))
	}
}

// end wakes all who wait. No more come.
func (p *party) end() {
	p.lock.lock()
	p.ended = true
	if p.done != nil {
		close(p.done)
	}
	all := p.joiners.popAll()
	p.lock.unlock()
	wakeAll(all.first)
}

// spawn makes the new thread t ready, on c, which the caller has, if that is not nil.
func (r *Runtime) spawn(t *task, c *carrier) {
	if c != nil {
		c.lock.lock()
		c.fresh.push(t)
		c.lock.unlock()
		r.offer(c)
	} else {
		r.global.push(t)
		r.wake()
	}
	r.stir()
}

// finish makes known that t, which ran on c, has ended. If it may be the turn of a fresh
// thread, that is taken in the same breath, and returned.
func (t *task) finish(c *carrier) *task {
	c.counts.ended.inc() // first, see live.go
	t.setState(StateEnded)
	// Whoever joins stores the party, and then looks whether t is over. Here, it is the
	// other way round, with the lock's atomic operation between.
	c.lock.lock()
	last := c.giveSpare()
	p := t.party.Load()
	var next *task
	if p == nil && c.freshIsNext() {
		next = c.fresh.popNewest()
	}
	c.lock.unlock()
	if p != nil {
		p.end()
	}
	if last {
		c.rt.checkEnd()
	}
	return next
}

// name returns the name that WithName gave.
func (t *task) name() string {
	if t.extra == nil {
		return ""
	}
	return t.extra.name
}

// caller returns the thread that calls it, see Current.
func caller() *task {
	t, _ := current()
	return t
}

// current is caller, with the context in which the thread is.
func current() (*task, *asm.Context) {
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
func own() (*task, *asm.Context) {
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
func currentNested(c *asm.Context) *task {
	for c != nil {
		if t := loadShared(&threadOf(c).green); t != nil {
			t.rt.nests()
			return t
		}
		c = c.Resumer()
	}
	return nil
}

// canLeave reports whether t, which is the caller and is in ctx, can be switched out.
func (t *task) canLeave(ctx *asm.Context) bool {
	if ctx != &t.th.ctx {
		return t.canLeaveNested(ctx)
	}
	return !ctx.Locked()
}

// switches is canLeave, with the context in which t is; nil on the portable backend.
func (t *task) switches() (ctx *asm.Context, ok bool) {
	if !t.th.native {
		return nil, true
	}
	ctx = asm.Current()
	return ctx, t.canLeave(ctx)
}

// canLeaveNested is canLeave for a thread that runs in a coroutine.
func (t *task) canLeaveNested(c *asm.Context) bool {
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
func (t *task) asWaiter() *waiter {
	w := &t.th.waiter
	if w.thread != t {
		w.thread, w.entry.waiter, w.entry.code = t, w, codeGranted
	}
	return w
}

// rests notes that t, which is the caller and runs on c, waits from here on until somebody makes
// it ready. A leave must follow, which says what for: for its token (commit), in a queue, with
// c.held for its lock (release), or in the way of waiter.waitFor (commitWait). (The leave is not
// in here: each frame on the stack of a thread that waits costs the garbage collector time.)
func (t *task) rests(c *carrier, why Reason) {
	publish64(&t.since, c.rt.coarse.Load())
	t.setWaiting(why)
	if c.rt.hook != nil {
		c.rt.hooked(ThreadPark, c, t, why)
	}
}
