package runtime

import (
	"cmp"
	"iter"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"greenthread/internal/nap"
)

// Threads returns the threads of r that have not ended, in the order of their
// numbers, those that have not started included. It looks when the loop begins, which
// takes some 100 ns a thread; nothing is stopped for it, so threads that start or end
// meanwhile may be missing or have ended. It may sleep for some milliseconds when there
// are many such.
func (r *Runtime) Threads() iter.Seq[*Thread] {
	return func(yield func(*Thread) bool) {
		for _, t := range r.list() {
			if !yield(t) {
				return
			}
		}
	}
}

// list returns the threads of r that have not ended. A thread that moves from
// queue to queue meanwhile may be missed, and so may one that a carrier has in hand, so if
// there are too few, it looks again, for some 10 ms at most.
func (r *Runtime) list() []*Thread {
	const looks = 20
	found := map[*Thread]struct{}{}
	add := func(t *task) {
		if h := loadShared(&t.handle); h != nil && !h.over() {
			found[h] = struct{}{}
		}
	}
	for look := range looks {
		r.eachQueued(add)
		for _, t := range threadsOf(r) {
			add(t)
		}
		if len(found) >= r.living() {
			break
		}
		nap.For(time.Duration(look) * 50 * time.Microsecond)
	}
	all := make([]*Thread, 0, len(found))
	for t := range found {
		if !t.over() {
			all = append(all, t)
		}
	}
	slices.SortFunc(all, func(a, b *Thread) int { return cmp.Compare(a.id, b.id) })
	return all
}

// eachQueued calls f with each thread that is in a queue, in the direction in which
// threads that have not started move.
func (r *Runtime) eachQueued(f func(*task)) {
	r.starved.each(f)
	r.global.each(f)
	if r.sim != nil {
		for _, t := range r.sim.ready {
			f(t)
		}
	}
	for _, c := range *r.all.Load() {
		c.lock.lock()
		for i := range c.fresh.count {
			f(c.fresh.buf[int(c.fresh.head+i)&(len(c.fresh.buf)-1)])
		}
		for t := c.later.head; t != nil; t = t.next {
			f(t)
		}
		c.lock.unlock()
		for i := range c.ring.slots {
			// Not only between head and tail, which move: what is left in the
			// others tells by itself that it has ended.
			if t := loadShared(&c.ring.slots[i]); t != nil {
				f(t)
			}
		}
		if t := c.runnext.Load(); t != nil {
			f(t)
		}
	}
}

func (q *globalQueue) each(f func(*task)) {
	q.lock.lock()
	defer q.lock.unlock()
	for t := q.list.head; t != nil; t = t.next {
		f(t)
	}
}

// Waited returns for how long t has been waiting, 0 if it does not. The clock is
// coarse: it is about half a millisecond late while threads run.
func (t *Thread) Waited() time.Duration {
	began := t.Waits()
	since := atomic.LoadInt64(&t.task.since)
	if began == NotWaiting || t.Waits() != began {
		return 0
	}
	return time.Duration(max(t.task.rt.now()-since, 0))
}

// Creator returns where t was started: the function that has called Go, its file and
// line. It is the zero Frame if that is not known, and after the end of t.
func (t *Thread) Creator() runtime.Frame {
	pc := loadWord(&t.task.parent.PC)
	if pc == 0 || t.over() {
		return runtime.Frame{}
	}
	frame, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	return frame
}

// HighWater returns how deep the stack of t has been, in bytes of whole pages, by t
// or by who used the same stack before. It makes a few system calls and does not
// block. The error is ErrFinished after the end of t, and wraps errors.ErrUnsupported
// on the portable backend, or while t has not started and so has no stack. What is
// left, only t itself can ask, by [Remaining].
func (t *Thread) HighWater() (int, error) {
	th := loadShared(&t.task.th)
	if t.over() {
		return 0, ErrFinished
	}
	if th == nil || !th.native {
		return 0, errNoStack
	}
	return th.stack.HighWater()
}
