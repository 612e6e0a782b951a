package runtime

import (
	"sync/atomic"
	"time"

	"greenthread/futex"
)

// Who wakes whom: whoever makes a thread ready wakes at most one carrier, which
// looks for work, and wakes the next one when it has found some and there is more.
// A carrier that goes to sleep announces it first, and then looks once more.

// ready puts t, which waits for nothing any more, into a queue, and wakes a
// carrier if one is idle and should help.
func (r *Runtime) ready(t *task) {
	if r.sim != nil && t.State() != StateWaiting {
		return // it was told to end, and is still in a queue
	}
	t.setState(StateReady)
	if c := r.callers(); c != nil {
		if r.hook != nil {
			r.hooked(ThreadReady, c, t, NotWaiting)
		}
		if !c.ring.empty() || !c.ring.push(t) {
			c.pushNext(t)
		}
		r.offer(c)
	} else {
		if r.hook != nil {
			r.hooked(ThreadReady, nil, t, NotWaiting)
		}
		r.global.push(t)
		r.wake()
	}
	r.stir()
}

// offer wakes a carrier, if one is idle, to help c, which has something ready behind
// what runs. As long as nobody could help, that is tried less and less often, for one thread
// and for several apart (see lull): the monitor looks after threads that then wait too long.
func (r *Runtime) offer(c *carrier) {
	if r.idling.Load() != 0 {
		r.offerIdle(c)
	}
}

func (r *Runtime) offerIdle(c *carrier) {
	if c.waiting() < 2 {
		if r.singles.skips(&c.skipped) {
			return
		}
	} else if r.crowds.skips(&c.skippedMany) {
		return
	}
	r.wake()
}

// wake sees to it that somebody looks for work, if anybody is idle.
func (r *Runtime) wake() {
	if r.idling.Load() == 0 || r.spinning.Load() != 0 || !r.spinning.CompareAndSwap(0, 1) {
		return
	}
	r.mu.lock()
	c := r.popIdle()
	if c == nil {
		r.mu.unlock()
		r.spinning.Store(0)
		return
	}
	r.wakes++
	r.mu.unlock()
	c.rouse()
}

// popIdle takes off the idle list who was put there last, nil if that is empty. The caller
// holds r.mu, and rouses it.
func (r *Runtime) popIdle() *carrier {
	n := len(r.idle)
	if n == 0 {
		return nil
	}
	c := r.idle[n-1]
	r.idle = r.idle[:n-1]
	r.idling.Store(int32(n - 1))
	return c
}

// stir wakes the monitor if it waits for something to do.
func (r *Runtime) stir() {
	if r.quiet.Load() {
		select {
		case r.watch <- struct{}{}:
		default:
		}
	}
}

// hasWork reports whether any queue has a thread.
func (r *Runtime) hasWork() bool {
	if r.global.length() > 0 {
		return true
	}
	for _, c := range *r.all.Load() {
		if c.waiting() > 0 {
			return true
		}
	}
	return false
}

// hasSurplus reports whether anybody has more than the one thread that it will
// run next itself.
func (r *Runtime) hasSurplus() bool {
	if r.global.length() > 0 {
		return true
	}
	for _, c := range *r.all.Load() {
		if c.waiting() > 1 {
			return true
		}
	}
	return false
}

// sleep waits until there may be work. It reports false if the carrier shall end.
func (c *carrier) sleep() bool {
	r := c.rt
	c.releasePlaces()
	if r.stopped() {
		return false
	}
	if r.sim != nil {
		return r.sim.idle(r)
	}
	r.mu.lock()
	if atomic.LoadUint32(&c.replaced) != 0 { // then next gave nothing, whatever there is
		r.mu.unlock()
		return true
	}
	if r.surplus() {
		r.retire(c)
		r.mu.unlock()
		r.spinning.Store(0)
		if r.hasWork() {
			r.wake()
		}
		return false
	}
	r.idle = append(r.idle, c)
	r.idling.Store(int32(len(r.idle)))
	r.mu.unlock()
	// From here on ready() sees us. What was made ready before, we see here.
	woken := r.spinning.Swap(0) != 0
	if r.bubbled {
		// The monitor would come late for what was left to who has it, if that never runs it, and for
		// what is on its way: who stores it looks whether we sleep before others see it.
		glanceAround()
	}
	if !c.poor && r.hasSurplus() || r.global.length() > 0 || r.bubbled && r.hasWork() || r.stopped() {
		if !r.leaveIdle(c) {
			c.doze(noTime) // somebody has woken us meanwhile: take the token
		}
		return true
	}
	if woken && !r.bubbled {
		r.singles.helped(false)
	}
	c.counts.sleeps.inc()
	c.hooked(CarrierSleep)
	c.nap()
	c.hooked(CarrierWake)
	r.leaveIdle(c) // unless who has woken us has done that
	r.coarse.Store(r.now())
	return true
}

// stepBack is called in the loop when c is not blocked any more, and another carrier
// may run in its place. If so, c hands over what it has, and retires: it reports true.
func (c *carrier) stepBack() bool {
	r := c.rt
	c.releasePlaces()
	r.mu.lock()
	publish(&c.replaced, 0)
	r.blocked.Add(-1) // until the monitor counts again
	surplus := r.surplus()
	if surplus {
		for t := c.drain(); t != nil; t = c.drain() {
			r.global.push(t)
		}
		r.retire(c)
	}
	r.mu.unlock()
	if surplus {
		r.spinning.Store(0) // we may be the one that was woken to look
		r.wake()
	}
	return surplus
}

// drain returns a thread of c's own, nil if there is none.
func (c *carrier) drain() *task {
	if t := c.ring.pop(); t != nil {
		return t
	}
	if t := c.runnext.Swap(nil); t != nil {
		return t
	}
	c.lock.lock()
	defer c.lock.unlock()
	if t := c.later.pop(); t != nil {
		return t
	}
	return c.fresh.popOldest()
}

// surplus reports whether more carriers can run than shall. The caller holds r.mu.
func (r *Runtime) surplus() bool {
	return len(*r.all.Load())-int(max(r.blocked.Load(), 0)) > r.carriers
}

// nap sleeps until c is woken, or until the next timer, for which only one
// carrier waits, the keeper.
func (c *carrier) nap() {
	r := c.rt
	for {
		when := r.timers.first()
		if when == noTime || !r.keeper.CompareAndSwap(nil, c) {
			c.doze(noTime)
			return
		}
		r.keeperUntil.Store(when)
		if r.timers.first() >= when { // else it came before we could be told
			c.doze(when)
			when = noTime
		}
		r.keeperUntil.Store(noTime)
		r.keeper.Store(nil)
		if when == noTime {
			return
		}
	}
}

// unkept reports whether there are timers, and nobody waits for them.
func (r *Runtime) unkept() bool { return r.timers.pending() && r.keeper.Load() == nil }

// noTime is a time that does not come.
const noTime = int64(futex.Never)

// doze sleeps until c is roused, or the time comes: it reports false then.
func (c *carrier) doze(until int64) bool {
	if !c.rt.portable {
		if until == noTime {
			c.parker.Park()
			return true
		}
		return c.parker.ParkUntil(futex.Deadline(until))
	}
	if until == noTime {
		<-c.wakeup
		return true
	}
	timer := time.NewTimer(time.Duration(until - c.rt.now()))
	defer timer.Stop()
	select {
	case <-c.wakeup:
		return true
	case <-timer.C:
		return false
	}
}

// rouse ends the sleep of c, the present one or the next.
func (c *carrier) rouse() {
	if !c.rt.portable {
		c.parker.Unpark()
		return
	}
	select {
	case c.wakeup <- struct{}{}:
	default:
	}
}

// leaveIdle takes c off the idle list; it reports false if it is not there.
func (r *Runtime) leaveIdle(c *carrier) bool {
	r.mu.lock()
	defer r.mu.unlock()
	for i, other := range r.idle {
		if other == c {
			r.idle = append(r.idle[:i], r.idle[i+1:]...)
			r.idling.Store(int32(len(r.idle)))
			return true
		}
	}
	return false
}

// retire takes c, whose queues are empty, off the list of carriers. The caller
// holds r.mu.
func (r *Runtime) retire(c *carrier) {
	old := *r.all.Load()
	all := make([]*carrier, 0, len(old)-1)
	for _, other := range old {
		if other != c {
			all = append(all, other)
		}
	}
	r.all.Store(&all)
	c.addTo(&r.retired)
	c.giveUpIdle()
	r.leftAlone()
}
