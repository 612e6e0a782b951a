package runtime

import (
	"runtime"
	"runtime/pprof"
	"sync"
)

// threadProfile has the threads of all runtimes with Config.Profile that have not ended,
// by the stacks on which they were started. Package pprof keeps it under its name.
var threadProfile = sync.OnceValue(func() *pprof.Profile { return pprof.NewProfile("greenthread") })

// addToProfile puts key into the profile, with the stack of the function that has called this
// package at pc. To be called on that stack.
func addToProfile(key any, pc uintptr) {
	var pcs [16]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs[:])])
	skip := 0
	for {
		frame, more := frames.Next()
		if frame.PC == pc-1 {
			break
		}
		if !more {
			skip = 0
			break
		}
		skip++
	}
	threadProfile().Add(key, skip)
}

// profile puts t into the profile.
func (t *task) profile() { addToProfile(t, t.parent.PC) }

// unprofile takes t out.
func (t *task) unprofile() {
	if t.extra != nil && t.extra.expected != nil {
		t.rt.unexpect(t.extra.expected)
		return
	}
	threadProfile().Remove(t)
}

// A thread that a timer starts is in the profile from the call of AfterFunc or Reset on, since
// its stack is known only then; a ticker stands there for the threads of its ticks.

// An expected thread is a key in the profile, and in the list of those of one timer.
type expected struct{ next *expected }

// expectations are the expected threads of a runtime that have not ended.
type expectations struct {
	mu  sync.Mutex
	all map[*expected]struct{} // nil once the runtime has ended
}

// expect returns a new expected thread for who has called this package at pc, on this stack;
// nil unless r is profiled.
func (r *Runtime) expect(pc uintptr) *expected {
	if !r.profiled {
		return nil
	}
	e := new(expected)
	x := &r.expectations
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.all != nil {
		x.all[e] = struct{}{}
		addToProfile(e, pc)
	}
	return e
}

// unexpect takes e, which may be nil, out of the profile.
func (r *Runtime) unexpect(e *expected) {
	if e == nil {
		return
	}
	x := &r.expectations
	x.mu.Lock()
	defer x.mu.Unlock()
	if _, there := x.all[e]; there {
		delete(x.all, e)
		threadProfile().Remove(e)
	}
}

// expectNone forgets those whose time will not come any more.
func (r *Runtime) expectNone() {
	x := &r.expectations
	x.mu.Lock()
	defer x.mu.Unlock()
	for e := range x.all {
		threadProfile().Remove(e)
	}
	x.all = nil
}

// push adds e to the threads that b is expected to start.
func (b *birth) push(e *expected) {
	if e == nil {
		return
	}
	b.rt.expectations.mu.Lock()
	defer b.rt.expectations.mu.Unlock()
	last := &b.expected
	for *last != nil {
		last = &(*last).next
	}
	*last = e
}

// popFirst returns the one that is started, nil if b is not profiled.
func (b *birth) popFirst() *expected {
	if !b.rt.profiled {
		return nil
	}
	b.rt.expectations.mu.Lock()
	defer b.rt.expectations.mu.Unlock()
	e := b.expected
	if e != nil {
		b.expected = e.next
	}
	return e
}

// popLast returns the one that will not be started, since its timer was stopped.
func (b *birth) popLast() *expected {
	if !b.rt.profiled {
		return nil
	}
	b.rt.expectations.mu.Lock()
	defer b.rt.expectations.mu.Unlock()
	last := &b.expected
	if *last == nil {
		return nil
	}
	for (*last).next != nil {
		last = &(*last).next
	}
	e := *last
	*last = nil
	return e
}
