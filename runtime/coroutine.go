package runtime

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"greenthread/asm"
)

// A Coroutine is a function that can stop in the middle and be resumed: Resume
// runs its body until that calls Yield or returns, and hands a value in each
// direction. It is not concurrent: the resumer waits while the body runs.
//
// A coroutine may be resumed from any goroutine, from different ones in turn,
// and from other coroutines; two that try at the same time are told apart, one
// gets ErrRunning. One that nobody can reach any more is closed by itself, unless
// it was started in a testing/synctest bubble, or has locked its kernel thread.
type Coroutine[In, Out any] struct {
	core *core[In, Out]
}

// core is the part of a coroutine that its body refers to. The body's stack
// keeps it reachable, but not the Coroutine, whose fate the collector watches.
type core[In, Out any] struct {
	ctx      *asm.Context // of a native thread, between start and end
	state    uint32       // one of the states below
	closing  uint32       // one of the closings below
	inShort  bool         // Yield may be left the short way
	outShort bool         // Resume may be entered the short way
	in       struct {     // what Yield returns
		value In
		_     [0]uintptr
	}
	out struct { // what Resume returns
		value Out
		_     [0]uintptr
		err   error // nil
	}
	_ [resultWords]uintptr // the short way reads that far

	thread  *thread
	native  atomic.Pointer[thread] // the same if it is native, for HighWater
	body    func(Yielder[In, Out], In) Out
	config  config
	parent  asm.Parent // who created it, and where
	cleanup runtime.Cleanup
}

// States of a coroutine. Resume moves it to running by a compare-and-swap,
// and whoever has done that moves it on.
//
//	fresh ──► running ◄──► suspended        Close: fresh ──► closed
//	             │                                 suspended ──► running ──► closed
//	             └──► finished
const (
	fresh     uint32 = 0
	suspended uint32 = asm.ClaimSuspended // native: what the fast path looks for
	waiting   uint32 = 2                  // suspended, portable
	running   uint32 = 3
	finished  uint32 = 4
	closed    uint32 = 5
)

// Closings: how far Close has come.
const (
	notClosing  uint32 = iota
	closeAsked         // the next Yield to return calls Goexit
	closeDefers        // deferred calls run; Yield returns at once
)

// NewCoroutine makes a coroutine; it starts at the first Resume, whose value
// the body gets as its second argument. What the body returns is what that
// Resume returns which lets it run to its end. Nothing is allocated but the
// coroutine's own few words until then. A nil body and bad options are reported
// by Resume.
//
//go:noinline
func NewCoroutine[In, Out any](body func(y Yielder[In, Out], in In) Out, options ...Option) *Coroutine[In, Out] {
	k := &core[In, Out]{body: body}
	if native() {
		k.parent = asm.Here(asm.CallerPC())
	}
	if len(options) > 0 {
		k.config = configOf(options)
	}
	if body == nil {
		k.config.fail(fmt.Errorf("%w: the body is nil", ErrBadOption))
	}
	return &Coroutine[In, Out]{k}
}

// Resume runs the body until it yields or ends, and returns its value. in is
// what Yield returns in the body, or the body's argument at the first time.
//
// The error is ErrFinished after the end, ErrClosed after Close, ErrRunning
// while the body runs (also for the body itself); on the first Resume it may be
// ErrBadOption, or ErrStackLimit and a reason; see also ErrThread and ErrBubble.
// The body has not run then, and nothing is lost: it may be resumed again.
//
// If the body panics, Resume panics with a *PanicError. If the body calls
// runtime.Goexit, Resume does. The coroutine has finished then.
//
// It blocks for as long as the body runs. A switch costs no allocation and no
// system call.
//
//go:noinline
func (c *Coroutine[In, Out]) Resume(in In) (Out, error) {
	k := c.core
	if !atomic.CompareAndSwapUint32(&k.state, suspended, running) {
		return c.resumeSlow(in)
	}
	k.in.value = in
	if asm.ShortWay && k.outShort {
		asm.EnterShort(k.ctx) // when the body yields, it is Resume that returns
	} else {
		k.ctx.Enter()
	}
	return c.arrive(k.ctx.Event())
}

// resumeSlow is Resume for a coroutine that is not suspended, or not native.
func (c *Coroutine[In, Out]) resumeSlow(in In) (out Out, err error) {
	k := c.core
	switch {
	case atomic.CompareAndSwapUint32(&k.state, fresh, running):
		if err := k.start(); err != nil {
			publish(&k.state, fresh)
			return out, err
		}
	case atomic.CompareAndSwapUint32(&k.state, waiting, running):
	case atomic.CompareAndSwapUint32(&k.state, suspended, running):
	default:
		return out, refusal(k.loadState())
	}
	k.in.value = in
	return c.arrive(k.thread.enter())
}

// refusal is why a coroutine in that state cannot be resumed.
func refusal(state uint32) error {
	switch state {
	case finished:
		return ErrFinished
	case closed:
		return ErrClosed
	}
	return ErrRunning
}

// start gets a thread for a fresh coroutine.
func (k *core[In, Out]) start() (err error) {
	if err := k.config.err; err != nil {
		return err
	}
	t, err := threadFor(&k.config)
	if err != nil {
		return err
	}
	k.thread = t
	t.prepare(k.run, k.config.name, k.parent)
	if t.native {
		k.ctx = &t.ctx
		k.native.Store(t)
		k.inShort, k.outShort = goesShort[In](0), goesShort[Out](2)
		t.ctx.Link(unsafe.Pointer(&k.in), unsafe.Pointer(&k.out), &k.state, untyped(k.land))
	}
	return nil
}

// threadFor returns a thread for a new coroutine.
func threadFor(c *config) (*thread, error) {
	if !native() || asm.InBubble() {
		return newPortable(), nil
	}
	k, err := cacheOf(c)
	if err != nil {
		return nil, err
	}
	return k.get()
}

// run is what the thread runs.
func (k *core[In, Out]) run() {
	out := k.body(Yielder[In, Out]{k}, k.in.value)
	k.out.value = out
}

// arrive decides what an event means for the resumer, and makes the coroutine
// claimable again: it is switched out now.
func (c *Coroutine[In, Out]) arrive(e asm.Event) (out Out, err error) {
	k := c.core
	switch e {
	case asm.EventYield:
		out = k.out.value
		if k.cleanup == (runtime.Cleanup{}) {
			k.cleanup = runtime.AddCleanup(c, abandon[In, Out], k)
		}
		publish(&k.state, k.resting())
		runtime.KeepAlive(c)
		return out, nil
	case asm.EventThread, asm.EventBubble:
		publish(&k.state, k.resting())
		return out, refusalBy(e)
	}
	return k.end(e, finished), nil
}

// land is what the end of the body is for a Resume that went the short way.
func (k *core[In, Out]) land() (Out, error) {
	return k.end(k.ctx.Event(), finished), nil
}

// refusalBy is the error for an Enter that was refused.
func refusalBy(e asm.Event) error {
	if e == asm.EventBubble {
		return ErrBubble
	}
	return ErrThread
}

func (k *core[In, Out]) loadState() uint32 { return atomic.LoadUint32(&k.state) }

// resting is the state of a suspended coroutine.
func (k *core[In, Out]) resting() uint32 {
	if k.thread.native {
		return suspended
	}
	return waiting
}

// end is called when the body has ended with event e. It gives the thread back
// and returns the last value, or goes on as the body has ended.
func (k *core[In, Out]) end(e asm.Event, state uint32) Out {
	var zeroIn In
	var zeroOut Out
	t, out := k.thread, k.out.value
	k.thread, k.ctx, k.body, k.in.value, k.out.value = nil, nil, nil, zeroIn, zeroOut
	k.native.Store(nil)
	k.cleanup.Stop()
	failure := finish(t, e)
	publish(&k.state, state)
	switch {
	case failure != nil:
		panic(failure)
	case e == eventGoexit && state != closed:
		runtime.Goexit()
	}
	return out
}

// finish gives a thread back that has ended with event e, and returns its panic.
func finish(t *thread, e asm.Event) (failure *PanicError) {
	if e == eventPanic {
		failure = t.failure
	}
	if t.native {
		t.cache.put(t)
	}
	return failure
}

// Done reports whether the coroutine has finished or is closed.
func (c *Coroutine[In, Out]) Done() bool {
	return c.core.loadState() >= finished
}

// Close ends the coroutine. A suspended body goes on as if its Yield called
// runtime.Goexit: its deferred calls run, and a Yield in one of them returns the
// zero value at once. Close waits for that, and panics with a *PanicError if one
// of them panics.
//
// Closing one that has ended, or has not started, is fine and runs nothing. The
// error is ErrRunning for a coroutine that runs, the caller itself included,
// and ErrThread or ErrBubble as for Resume; nothing has happened then.
func (c *Coroutine[In, Out]) Close() error {
	defer runtime.KeepAlive(c)
	return c.core.close()
}

func (k *core[In, Out]) close() error {
	for {
		state := k.loadState()
		switch state {
		case finished, closed:
			return nil
		case running:
			return ErrRunning
		}
		if !atomic.CompareAndSwapUint32(&k.state, state, running) {
			continue
		}
		if state == fresh {
			k.body = nil
			publish(&k.state, closed)
			return nil
		}
		break
	}
	var zero In
	k.closing, k.in.value = closeAsked, zero
	if k.ctx != nil {
		k.ctx.SetCloser(untyped(k.closeHere))
	}
	for {
		switch e := k.thread.enter(); e {
		case asm.EventYield: // in a deferred call
		case asm.EventThread, asm.EventBubble:
			k.closing = notClosing
			if k.ctx != nil {
				k.ctx.SetCloser(nil)
			}
			publish(&k.state, k.resting())
			return refusalBy(e)
		default:
			k.end(e, closed)
			return nil
		}
	}
}

// abandon closes a coroutine that nobody can resume any more. A resumer that has
// just dropped it may still be waiting for its body.
func abandon[In, Out any](k *core[In, Out]) {
	go func() {
		for pause := time.Millisecond; k.close() == ErrRunning; pause = min(2*pause, time.Second) {
			time.Sleep(pause)
		}
	}()
}

// A Yielder is what a body yields with. It is valid in that body only.
type Yielder[In, Out any] struct {
	core *core[In, Out]
}

// Yield suspends the body; Resume returns out. It returns the value of the next
// Resume. If the coroutine is closed instead, Yield does not return: deferred
// calls run, and in these Yield returns the zero value at once.
//
// Outside of its own body it panics with ErrStranger, in a callback from C that
// the body has called with ErrCallback.
//
//go:noinline
func (y Yielder[In, Out]) Yield(out Out) In {
	k := y.core
	if k.ctx == nil {
		return k.yieldSlow(out)
	}
	if unsafe.Sizeof(out) > unsafe.Sizeof(uintptr(0)) && asm.Current() != k.ctx {
		panic(ErrStranger) // before a value is torn; otherwise the switch finds out
	}
	k.out.value = out
	if asm.ShortWay && k.inShort {
		asm.LeaveShort(k.ctx) // when the body is resumed, it is Yield that returns
	} else {
		k.ctx.Leave()
	}
	if k.closing != notClosing {
		return k.closeHere()
	}
	return k.in.value
}

// yieldSlow is Yield on the portable backend, or after the end.
func (k *core[In, Out]) yieldSlow(out Out) In {
	t := k.thread
	if t == nil || k.loadState() != running {
		panic(ErrStranger) // or it would wait for a resumer that is not there
	}
	k.out.value = out
	t.leave()
	if k.closing != notClosing {
		return k.closeHere()
	}
	return k.in.value
}

// closeHere is where the body goes on when it is being closed.
func (k *core[In, Out]) closeHere() (zero In) {
	if k.closing == closeAsked {
		k.closing = closeDefers
		runtime.Goexit()
	}
	return zero
}
