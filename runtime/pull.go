package runtime

import (
	"iter"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"greenthread/asm"
)

// Pull turns a push-style iterator into two functions, with the signature and
// the contract of [iter.Pull], several times faster per value. It starts a coroutine,
// which costs more than iter.Pull's own: with a few values it is slower, and it pays
// from somewhere between four and ten on.
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
	p := new(puller[V])
	h := &pullHandle[V]{puller: p}
	if native() {
		p.parent = asm.Here(asm.CallerPC())
	}
	// The short way returns from the two literals below by their frames, so each
	// must have one. A literal cannot be marked noinline, but a function with a
	// select is never inlined, whatever a profile says.
	land := func() (V, bool) { return p.land(), false }
	p.onEnd = untyped(land)
	p.seq = func() {
		seq(func(v V) bool {
			if !p.offer() {
				return false
			}
			if p == nil {
				select {} // never: see Pull
			}
			p.out.value = v
			if asm.ShortWay && p.ctx != nil {
				asm.LeaveShort(p.ctx) // when next is called again, this is what returns
			} else {
				p.thread.leave()
			}
			return p.more.ok != 0
		})
	}
	next = func() (V, bool) {
		if p.state != suspended {
			return h.nextSlow()
		}
		if p == nil {
			select {} // never: see Pull
		}
		p.state = running
		if p.short {
			asm.EnterShort(p.ctx) // when seq yields, it is next that returns
		} else {
			p.ctx.Enter()
		}
		return h.arrive(p.ctx.Event())
	}
	return next, h.stop
}

// Pull2 is [Pull] for iterators over pairs, as [iter.Pull2] is.
//
//go:noinline
func Pull2[K, V any](seq iter.Seq2[K, V]) (next func() (K, V, bool), stop func()) {
	p := new(puller[pair[K, V]])
	h := &pullHandle[pair[K, V]]{puller: p}
	if native() {
		p.parent = asm.Here(asm.CallerPC())
	}
	land := func() (K, V, bool) { kv := p.land(); return kv.key, kv.value, false }
	p.onEnd = untyped(land)
	p.seq = func() {
		seq(func(k K, v V) bool {
			if !p.offer() {
				return false
			}
			if p == nil {
				select {} // never: see Pull
			}
			p.out.value = pair[K, V]{k, v}
			if asm.ShortWay && p.ctx != nil {
				asm.LeaveShort(p.ctx)
			} else {
				p.thread.leave()
			}
			return p.more.ok != 0
		})
	}
	next = func() (K, V, bool) {
		if p.state != suspended {
			kv, ok := h.nextSlow()
			return kv.key, kv.value, ok
		}
		if p == nil {
			select {} // never: see Pull
		}
		p.state = running
		if p.short {
			asm.EnterShort(p.ctx)
		} else {
			p.ctx.Enter()
		}
		kv, ok := h.arrive(p.ctx.Event())
		return kv.key, kv.value, ok
	}
	return next, h.stop
}

type pair[K, V any] struct {
	key   K
	value V
}

// A puller is one iteration. The stack of seq refers to it. Its state is one of
// a coroutine's; it is running while next waits for a value.
type puller[T any] struct {
	ctx   *asm.Context // of a native thread, between start and end
	state uint32
	short bool
	done  bool     // seq has ended, or is being stopped
	more  struct { // what yield returns
		ok uintptr
	}
	out struct { // what next returns
		value T
		_     [0]uintptr
		ok    uintptr // 1
	}
	_ [resultWords]uintptr // the short way reads that far

	thread *thread
	seq    func()
	onEnd  func() // see asm.Context.Link
	parent asm.Parent
}

// A pullHandle is what next and stop refer to: the collector watches it.
type pullHandle[T any] struct {
	puller  *puller[T]
	cleanup runtime.Cleanup
}

// offer reports whether somebody waits for the value that yield has. It panics
// where iter.Pull does.
func (p *puller[T]) offer() bool {
	if p.done {
		return false
	}
	if p.state != running {
		panic("greenthread: Pull: yield is called while nobody waits for a value")
	}
	return true
}

// nextSlow is next at the start, after the end, and on the portable backend.
func (h *pullHandle[T]) nextSlow() (value T, ok bool) {
	p := h.puller
	switch p.state {
	case fresh:
		p.start()
		h.cleanup = runtime.AddCleanup(h, stopAbandoned[T], p)
	case waiting:
	case running:
		if p.done { // seq calls it, which is being stopped
			return value, false
		}
		panic("greenthread: Pull: next is called while it waits for a value")
	default:
		return value, false
	}
	p.state = running
	return h.arrive(p.thread.enter())
}

func (p *puller[T]) start() {
	t, err := threadFor(new(config))
	if err != nil {
		t = newPortable() // iter.Pull never fails for want of a stack
	}
	t.prepare(p.seq, "", p.parent)
	p.thread = t
	p.more.ok, p.out.ok = 1, 1
	if t.native {
		p.ctx = &t.ctx
		p.short = goesShort[T](1)
		t.ctx.Link(unsafe.Pointer(&p.more), unsafe.Pointer(&p.out), &p.state, p.onEnd)
	}
}

// arrive is called where next is back, but not by the short way.
func (h *pullHandle[T]) arrive(e asm.Event) (value T, ok bool) {
	p := h.puller
	if e == asm.EventYield {
		value = p.out.value
		p.rest()
		runtime.KeepAlive(h)
		return value, true
	}
	p.end(e)
	return value, false
}

// rest makes a suspended iteration claimable.
func (p *puller[T]) rest() {
	if p.thread.native {
		publish(&p.state, suspended)
	} else {
		publish(&p.state, waiting)
	}
}

// land is what the end of seq is for a next that went the short way.
func (p *puller[T]) land() (zero T) {
	p.end(p.ctx.Event())
	return zero
}

func (h *pullHandle[T]) stop() {
	p := h.puller
	switch {
	case p.done:
		return
	case p.state == fresh:
		p.done, p.state = true, closed
	case p.state == running: // called by seq itself: its yield will return false
		p.done, p.more.ok = true, 0
	default:
		p.state = running
		if err := p.finish(); err != nil {
			panic(err)
		}
		h.cleanup.Stop()
	}
}

// finish ends a suspended iteration that the caller has claimed, or says why it cannot.
func (p *puller[T]) finish() error {
	p.done, p.more.ok = true, 0
	e := p.thread.enter()
	if err := p.refusal(e); err != nil {
		return err
	}
	p.end(e)
	return nil
}

// refusal returns why seq could not be resumed, if e says so. Then it is as if nobody had tried.
func (p *puller[T]) refusal(e asm.Event) error {
	if e != asm.EventThread && e != asm.EventBubble {
		return nil
	}
	p.done, p.more.ok = false, 1
	p.rest()
	return refusalBy(e)
}

// end is called when seq has ended, or could not be resumed.
func (p *puller[T]) end(e asm.Event) {
	if err := p.refusal(e); err != nil {
		panic(err)
	}
	var zero T
	t := p.thread
	p.done, p.out.value, p.thread, p.ctx, p.seq, p.onEnd = true, zero, nil, nil, nil, nil
	failure := finish(t, e)
	publish(&p.state, finished)
	switch {
	case failure != nil:
		panic(failure.Value)
	case e == eventGoexit:
		runtime.Goexit()
	}
}

// stopAbandoned stops an iteration whose next and stop nobody can call any more.
// A next that has just been dropped may still be waiting for seq. One that cannot be resumed from
// here stays as it is: it is locked to its kernel thread, or in a bubble.
func stopAbandoned[T any](p *puller[T]) {
	go func() {
		for pause := time.Millisecond; ; pause = min(2*pause, time.Second) {
			for _, state := range []uint32{suspended, waiting} {
				if atomic.CompareAndSwapUint32(&p.state, state, running) {
					_ = p.finish()
					return
				}
			}
			if atomic.LoadUint32(&p.state) >= finished {
				return
			}
			time.Sleep(pause)
		}
	}()
}
