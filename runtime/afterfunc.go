package runtime

import (
	"fmt"
	"time"
	"unsafe"

	"greenthread/asm"
)

// A Timer starts a thread at a point in time, see [AfterFunc]. Its methods may be called
// from anywhere and do not wait.
type Timer struct {
	lock  spin // guards that timer is in the heap
	timer timer
	birth birth
}

// A birth is what threads are started with that a timer starts.
type birth struct {
	rt     *Runtime
	fn     func()
	parent asm.Parent
	labels unsafe.Pointer
	own    bool // of a ticker: started while the runtime is closing, too

	expected *expected // with Config.Profile, the threads to come, see push
}

// AfterFunc starts a thread of r that runs fn once d has passed; with a d of 0 or less,
// at once. Until then there is no thread and no stack. The thread inherits the pprof
// labels of the caller. When its time comes and no stack can be had for it, that is
// tried again every millisecond; after [Runtime.Close] it is not started any more. It panics
// if fn is nil.
//
//go:noinline
func (r *Runtime) AfterFunc(d time.Duration, fn func()) *Timer {
	return r.afterFunc(d, fn, asm.CallerPC())
}

// AfterFunc is [Runtime.AfterFunc] of the runtime of the calling thread, elsewhere of
// the default one. It panics if that cannot be started.
//
//go:noinline
func AfterFunc(d time.Duration, fn func()) *Timer {
	pc := asm.CallerPC()
	return mustHere("AfterFunc").afterFunc(d, fn, pc)
}

func (r *Runtime) afterFunc(d time.Duration, fn func(), pc uintptr) *Timer {
	if fn == nil {
		panic("greenthread: AfterFunc: the function is nil")
	}
	t := &Timer{birth: r.birthOf(fn, pc)}
	t.timer.start = t.birth.begin
	t.birth.push(r.expect(pc))
	t.lock.lock()
	t.schedule(d)
	t.lock.unlock()
	return t
}

// birthOf returns how threads of r that run fn are started for the caller, who stands at
// pc.
func (r *Runtime) birthOf(fn func(), pc uintptr) birth {
	b := birth{rt: r, fn: fn, labels: getLabels(), parent: asm.Parent{PC: pc}}
	if !r.portable {
		b.parent = asm.Here(pc)
	}
	return b
}

// begin starts a thread. It does not wait.
func (b *birth) begin() {
	if b.own {
		b.start(nil)
	} else {
		b.start(b.popFirst())
	}
}

// start is begin for the thread that e expects, if it is profiled.
func (b *birth) start(e *expected) {
	t := b.rt.newTask(b.fn, b.parent, b.labels)
	if e != nil {
		t.extra = &extra{expected: e}
	}
	switch err := b.rt.admit(t, b.own); err {
	case nil:
		b.rt.spawn(t, b.rt.callers())
	case ErrRuntimeClosed:
		b.rt.unexpect(e)
	default: // no stack
		b.rt.addTimer(&timer{when: b.rt.after(time.Millisecond), start: func() { b.start(e) }})
	}
}

// schedule puts t's timer into the heap. The caller holds the lock.
func (t *Timer) schedule(d time.Duration) {
	t.timer.when = t.birth.rt.after(max(d, 0))
	t.birth.rt.addTimer(&t.timer)
}

// Stop keeps t from starting its thread. It reports false if that has been started, or t
// was stopped before. It does not wait for the end of the thread.
func (t *Timer) Stop() bool {
	t.lock.lock()
	was := t.birth.rt.timers.remove(&t.timer)
	t.lock.unlock()
	if was {
		t.birth.rt.unexpect(t.birth.popLast())
	}
	return was
}

// Reset makes t start a thread once d has passed from now, whether it has started one
// already or not. It reports whether t was waiting: false if the thread has been started,
// or t was stopped.
//
//go:noinline
func (t *Timer) Reset(d time.Duration) bool {
	r := t.birth.rt
	e := r.expect(asm.CallerPC())
	t.lock.lock()
	was := r.timers.remove(&t.timer)
	if !was {
		t.birth.push(e)
	}
	t.schedule(d)
	t.lock.unlock()
	if was { // the thread was expected before
		r.unexpect(e)
	}
	return was
}

// mustHere is here for functions that return no error.
func mustHere(who string) *Runtime {
	r, err := here()
	if err != nil {
		panic(fmt.Errorf("greenthread: %s: the default runtime cannot be started: %w", who, err))
	}
	return r
}
