package runtime

import (
	"iter"
	"runtime"

	"greenthread/asm"
)

// Pull turns a push-style iterator into two functions, with the signature and
// the contract of [iter.Pull], several times faster.
//
// next returns the next value and true, or the zero value and false after the
// last one. stop ends the iteration: the yield of a suspended seq returns false.
// It may be called at any time, any number of times; after it next returns the
// zero value and false. Whoever does not call next to the end must call stop;
// an iteration of which both functions are unreachable is stopped by itself.
//
// A panic in seq reaches the caller of next or stop with its original value, and
// so does runtime.Goexit. next and stop must not be called by several goroutines
// at the same time, and next not by seq itself, which panics.
//
//go:noinline
func Pull[V any](seq iter.Seq[V]) (next func() (V, bool), stop func()) {
	h := newPuller[V]()
	p := h.puller
	if Backend().Native {
		p.parent = asm.Here(asm.CallerPC())
	}
	p.seq = func() { seq(p.yield) }
	return h.next, h.stop
}

// Pull2 is [Pull] for iterators over pairs, as [iter.Pull2] is.
//
//go:noinline
func Pull2[K, V any](seq iter.Seq2[K, V]) (next func() (K, V, bool), stop func()) {
	h := newPuller[pair[K, V]]()
	p := h.puller
	if Backend().Native {
		p.parent = asm.Here(asm.CallerPC())
	}
	p.seq = func() { seq(func(k K, v V) bool { return p.yield(pair[K, V]{k, v}) }) }
	next = func() (K, V, bool) {
		kv, ok := h.next()
		return kv.key, kv.value, ok
	}
	return next, h.stop
}

type pair[K, V any] struct {
	key   K
	value V
}

// A puller is one iteration. The stack of seq refers to it.
type puller[T any] struct {
	value  T
	thread *thread // nil before the first next and after the end
	done   bool    // seq has ended, or is being stopped
	asked  bool    // next waits for a value
	seq    func()
	parent asm.Parent
}

// A pullHandle is what next and stop refer to: the collector watches it.
type pullHandle[T any] struct {
	puller  *puller[T]
	cleanup runtime.Cleanup
}

func newPuller[T any]() *pullHandle[T] {
	return &pullHandle[T]{puller: new(puller[T])}
}

func (h *pullHandle[T]) next() (value T, ok bool) {
	p := h.puller
	if p.asked {
		panic("greenthread: Pull: next is called while it waits for a value")
	}
	if p.thread == nil {
		return h.first()
	}
	p.asked = true
	if e := p.enter(); e != eventYield {
		p.ended(e)
		return value, false
	}
	runtime.KeepAlive(h)
	return p.value, true
}

// first is next at the start of the iteration, or after its end.
func (h *pullHandle[T]) first() (value T, ok bool) {
	p := h.puller
	if p.done {
		return value, false
	}
	p.start()
	p.asked = true
	if e := p.enter(); e != eventYield {
		p.ended(e)
		return value, false
	}
	h.cleanup = runtime.AddCleanup(h, stopAbandoned[T], p)
	return p.value, true
}

func (p *puller[T]) start() {
	t, err := threadFor(new(config))
	if err != nil {
		t = newPortable() // iter.Pull never fails for want of a stack
	}
	t.prepare(p.seq, "", p.parent)
	p.thread = t
}

// enter resumes seq.
func (p *puller[T]) enter() asm.Event {
	if t := p.thread; t.native {
		return t.ctx.Enter()
	}
	return p.thread.enter()
}

// yield is what seq calls.
func (p *puller[T]) yield(value T) bool {
	if p.done {
		return false
	}
	if !p.asked {
		panic("greenthread: Pull: yield is called while nobody waits for a value")
	}
	p.asked = false
	p.value = value
	if e := p.thread.leave(eventYield); e != eventYield {
		p.asked = true
		refuseYield(e)
	}
	return !p.done
}

func (h *pullHandle[T]) stop() {
	h.puller.stop()
	h.cleanup.Stop()
}

func (p *puller[T]) stop() {
	if p.done {
		return
	}
	p.done = true
	if p.thread == nil || p.asked { // not started, or called by seq itself
		return
	}
	p.ended(p.enter())
}

// ended is called when seq has ended, or could not be resumed.
func (p *puller[T]) ended(e asm.Event) {
	var zero T
	switch e {
	case asm.EventThread:
		p.asked = false
		panic(ErrThread)
	case asm.EventBubble:
		p.asked = false
		panic(ErrBubble)
	}
	t := p.thread
	p.done, p.asked, p.value, p.thread, p.seq = true, false, zero, nil, nil
	failure := finish(t, e)
	switch {
	case failure != nil:
		panic(failure.Value)
	case e == eventGoexit:
		runtime.Goexit()
	}
}

func stopAbandoned[T any](p *puller[T]) {
	go p.stop()
}
