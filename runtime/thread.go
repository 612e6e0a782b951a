package runtime

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync/atomic"
	"unsafe"

	"greenthread/asm"
	"greenthread/stackpool"
)

// A thread is a goroutine that lives on a pooled stack, its anchor, and runs
// one function after another there:
//
//	        newThread                 Enter                Finish
//	(none) ───────────► idle, parked ───────► running fn ─────────► idle
//	                         │                 │      ▲               │
//	                         │ retire    Leave │      │ Enter         │ retire
//	                         ▼                 ▼      │               ▼
//	                      (ends)              suspended            (ends)
//
// Whoever takes an idle thread from the cache owns it, until it puts it back.
// A thread of the portable backend is a plain goroutine for one function.
type thread struct {
	green *task       // the green thread that runs here, if it is one
	ctx   asm.Context // see threadOf; its first words share a cache line with green

	native    bool
	hot       bool          // lives in a hot slot of its cache, for Do
	retire    bool          // end instead of running another function
	dying     bool          // a panic that nobody recovers from is ending the program
	condemned bool          // its guard could not be closed: lose the stack, and end
	abandoned bool          // fn was left by Goexit: the frames below it are still there
	parked    atomic.Uint32 // 1 once the anchor has parked for the first time
	event     asm.Event     // how fn ended
	index     uint32        // in the registry, which guards it

	waiter   waiter         // what green waits with; used by one after another
	fn       func()         // what to run, unless it is green's; set before Enter
	labels   unsafe.Pointer // pprof labels of who runs it
	locals   *[]local       // of the green thread, see Local
	failure  *PanicError    // what fn has panicked with
	stack    *stackpool.Stack
	cache    *cache
	portable *portable // nil on the native backend
}

// A portable is what an anchor of the portable backend has in place of a stack.
type portable struct {
	number     atomic.Uint64 // a green thread's: of its goroutine, once that runs
	wake, back chan struct{} // resume the body, and come back
	wakes      chan struct{} // a green thread's: whom it resumes at its end
	bubble     uintptr       // a coroutine's: whose its goroutine and the channels are, 0 if none's
}

// The events with which a thread ends its function.
const (
	eventReturn = asm.EventUser + iota // fn has returned
	eventPanic                         // fn has panicked
	eventGoexit                        // fn has called runtime.Goexit
)

// loop is what an anchor runs on its pooled stack: functions for whoever enters it, or
// green threads, one after another as long as these have not started. It starts again after
// Rewind, when fn has called runtime.Goexit.
func loop(c *asm.Context) {
	t := threadOf(c)
	defer t.exited()
	t.ctx.Begin(&t.parked)
	for !t.retire {
		if t.green != nil {
			for more := true; more; more = t.succeed() {
				t.green.carrier.settle()
				t.launch()
				t.settle()
			}
			t.ctx.Finish(t.event)
			continue
		}
		t.launch()
		t.settle()
		if t.hot && t.event == eventReturn && !t.retire {
			t.ctx.FinishIdle()
		} else {
			t.ctx.Finish(t.event)
		}
	}
	t.ctx.Release() // does not return
}

// exited is where runtime.Goexit arrives after the deferred calls of fn, also if
// one of those has panicked: launch's recover then ends the panic, but not the
// Goexit. Nothing returns from there. After Rewind, loop starts anew.
func (t *thread) exited() {
	if t.dying {
		return // the panic of a green thread goes on, and ends the program
	}
	t.settle()
	t.abandoned = true
	if g := t.green; g != nil {
		c := g.carrier
		c.prev, c.then = g, bury
		t.leaveTo(c, nil)
	}
	t.ctx.Finish(t.event)
	panic("greenthread: a thread that has exited is resumed")
}

// launch runs fn, or green's, and notes how it ended.
func (t *thread) launch() {
	if t.labels != nil || !t.native && t.green != nil { // a goroutine starts with those of who made it
		setLabels(t.labels)
	}
	defer t.end()
	t.event = eventGoexit // unless we learn better
	from := &t.fn
	if t.green != nil {
		from = &t.green.fn
	}
	fn := *from
	*from = nil
	fn()
	t.event = eventReturn
}

// end is deferred by launch.
func (t *thread) end() {
	if t.event == eventReturn {
		return
	}
	if v := recover(); v != nil {
		v = t.overflowOf(v)
		if g := t.green; g != nil && g.rt.sim == nil && (g.extra == nil || !g.extra.carries) {
			t.dying = true
			panic(v) // ends the program, as in a goroutine
		}
		t.event = eventPanic
		t.failure = &PanicError{Value: v, Stack: debug.Stack(), Name: t.ctx.Name()}
	}
}

// settle undoes what fn has left behind on its thread.
func (t *thread) settle() {
	if t.ctx.Opened() && t.ctx.Remaining() > 0 { // else put does it, from elsewhere
		t.rearm()
	}
	if t.ctx.Labelled() {
		setLabels(nil) // ours, or what fn has set
	}
	if t.ctx.FaultsPanic() {
		debug.SetPanicOnFault(false)
	}
}

// overflowOf returns v, or the stack overflow that v, a panic of package asm, stands for.
func (t *thread) overflowOf(v any) any {
	if !t.native {
		return v
	}
	addr, _ := t.ctx.Overflow()
	if fault, ok := v.(interface{ Addr() uintptr }); ok && addr != 0 && fault.Addr() == addr {
		return &StackOverflowError{Thread: t.String(), Size: t.stack.Size(), Address: addr}
	}
	return v
}

// rearm closes the guard that an overflow has opened. If that fails, the stack
// must not be used again: the thread ends after this function.
func (t *thread) rearm() {
	t.ctx.Closed()
	if err := t.stack.Rearm(); err != nil {
		t.retire, t.condemned = true, true
	}
}

// String names the thread in errors.
func (t *thread) String() string {
	if name := t.ctx.Name(); name != "" {
		return name
	}
	return strconv.FormatUint(t.ctx.ID(), 10)
}

// threadOf returns the thread whose context c is.
func threadOf(c *asm.Context) *thread {
	return (*thread)(unsafe.Add(unsafe.Pointer(c), -int(unsafe.Offsetof(thread{}.ctx))))
}

// prepare makes the thread ready to run fn.
func (t *thread) prepare(fn func(), name string, parent asm.Parent) {
	t.fn = fn
	t.rename(name)
	if t.native {
		t.ctx.SetParent(parent)
		if labels := getLabels(); labels != t.labels {
			t.labels = labels
		}
	}
}

// rename names t: to look is faster than to store a pointer.
func (t *thread) rename(name string) {
	if t.ctx.Name() != name {
		t.ctx.SetName(name)
	}
}

// enter resumes the thread until it leaves.
func (t *thread) enter() asm.Event {
	if t.native {
		return t.ctx.Enter()
	}
	if b := t.portable.bubble; b != 0 && b != bubble() {
		return asm.EventBubble // to Go, a use of its channels would be fatal
	}
	t.portable.wake <- struct{}{}
	<-t.portable.back
	return t.event
}

// leave suspends the thread, which is the caller, until it is resumed.
func (t *thread) leave() {
	if t.native {
		t.ctx.Leave()
		return
	}
	t.event = asm.EventYield
	t.portable.back <- struct{}{}
	<-t.portable.wake
	t.event = eventGoexit // as in launch
}

// newPortable returns a thread that is an ordinary goroutine.
func newPortable() *thread {
	p := &portable{wake: make(chan struct{}), back: make(chan struct{}), bubble: bubble()}
	t := &thread{portable: p}
	t.ctx.SetID(lastID.Add(1))
	go func() {
		<-p.wake
		defer func() { p.back <- struct{}{} }()
		t.launch()
	}()
	return t
}

// bodies are what the contexts of all threads run.
var bodies asm.Bodies

func init() {
	bodies = asm.Bodies{
		Entry:   loop,
		Landing: untypedOf(landDo),
		Rearm:   func(c *asm.Context) { threadOf(c).rearm() },
	}
}

// newNative makes a thread for a stack of cache c.
func newNative(c *cache) (*thread, error) {
	stack, err := c.stacks.Get()
	if err != nil {
		return nil, err
	}
	return newNativeOn(c, stack), nil
}

// newNativeOn makes a thread for that stack.
func newNativeOn(c *cache, stack *stackpool.Stack) *thread {
	t := &thread{native: true, stack: stack, cache: c}
	t.ctx.Init(asm.Bounds{
		GuardBottom: stack.GuardBottom(),
		Bottom:      stack.Bottom(),
		Top:         stack.Top(),
		Advice:      stack.Guard() == stackpool.GuardMadvise,
	}, lastID.Add(1), &bodies)
	register(t)
	go anchor(t)
	for t.parked.Load() == 0 {
		runtime.Gosched()
	}
	return t
}

var lastID atomic.Uint64

// anchor is the goroutine of a native thread. While it is adopted its own stack
// is not scanned: it is the registry that keeps t reachable.
func anchor(t *thread) {
	t.ctx.Adopt()
	unregister(t)
	if !t.condemned {
		t.cache.giveBack(t.stack)
	}
}

// giveBack puts a stack back into its pool.
func (c *cache) giveBack(stack *stackpool.Stack) {
	if err := c.stacks.Put(stack); err != nil {
		panic(fmt.Sprintf("greenthread: a pool does not take its stack back: %v", err))
	}
}

// The labels of the running goroutine, as runtime/pprof keeps them. The runtime
// marks both functions for use by linkname.
//
//go:linkname getLabels runtime/pprof.runtime_getProfLabel
func getLabels() unsafe.Pointer

//go:linkname setLabels runtime/pprof.runtime_setProfLabel
func setLabels(unsafe.Pointer)
