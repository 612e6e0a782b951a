package runtime

import "sync/atomic"

const (
	// rarely is how often, in turns, the global queue, the timers and the oldest
	// of the fresh threads are looked at first: without it, threads that keep a ring
	// full would starve the others. A prime, as in Go's scheduler, so that it does not
	// beat with the number of threads.
	rarely = 61
	// maxStreak is how often in a row the thread that was woken last goes first.
	maxStreak = 16
	// glances are for how long a carrier is watched for progress: some hundred
	// nanoseconds, in which one that makes some switches several times.
	glances = 256
)

// push makes t ready here, behind the others, or for anybody if the ring is full.
func (c *carrier) push(t *task) {
	if !c.ring.push(t) {
		c.overflow(t)
	}
}

// pushLast makes t ready behind all others, also those in the global queue: t goes
// there, but not before the ring is empty, with all who have given way meanwhile.
func (c *carrier) pushLast(t *task) {
	if c.rt.global.length() == 0 && c.later.length() == 0 {
		c.push(t)
		return
	}
	c.lock.lock()
	c.later.push(t)
	c.lock.unlock()
}

// pushNext makes t ready here, where others are. It is the next to run, since what it
// was woken for is still in the cache; but a few such in a row are followed by the ring.
func (c *carrier) pushNext(t *task) {
	if old := c.runnext.Swap(t); old != nil {
		c.push(old)
	}
}

// overflow moves half of a full ring, and t, to the global queue.
func (c *carrier) overflow(t *task) {
	var half list
	for range ringSize / 2 {
		if other := c.ring.pop(); other != nil {
			half.push(other)
		}
	}
	half.push(t) // which is the newest
	c.rt.global.pushList(&half)
}

// next returns a ready thread of this carrier's, or of the global queue; nil if
// there is none, or if the carrier was replaced.
func (c *carrier) next() *task {
	if atomic.LoadUint32(&c.replaced) != 0 {
		return nil
	}
	if c.rt.sim != nil {
		return c.nextSimulated()
	}
	if c.turn%rarely == 0 {
		if t := c.nextRarely(); t != nil {
			return t
		}
	}
	if c.runnext.Load() != nil {
		if t := c.nextRecent(); t != nil {
			return t
		}
	}
	// Those that have started and those that have not take turns.
	if (c.turn%2 == 0 || c.fresh.length() == 0) && !c.ring.empty() {
		if t := c.ring.pop(); t != nil {
			return t
		}
	}
	if c.fresh.length() > 0 {
		c.lock.lock()
		t := c.fresh.popNewest()
		c.lock.unlock()
		if t != nil {
			return t
		}
		if t := c.ring.pop(); t != nil {
			return t
		}
	}
	if c.runnext.Load() != nil {
		return c.runnext.Swap(nil)
	}
	if c.later.length() > 0 {
		c.releaseLater()
	}
	return c.rt.global.take(c, ringSize/2)
}

// freshIsNext reports whether next would look at the fresh threads first, and c has some.
// The caller holds c.lock.
func (c *carrier) freshIsNext() bool {
	return c.fresh.count > 0 && (c.turn%2 != 0 || c.ring.length() == 0) && c.turn%rarely != 0 &&
		c.runnext.Load() == nil && atomic.LoadUint32(&c.replaced) == 0 && c.rt.sim == nil
}

// releaseLater moves those that have given way on c to the global queue.
func (c *carrier) releaseLater() {
	c.lock.lock()
	later := c.later.takeAll()
	c.lock.unlock()
	c.rt.global.pushList(&later)
}

// nextRarely looks where next does not look while the ring is full.
func (c *carrier) nextRarely() *task {
	r := c.rt
	if r.timers.pending() {
		r.timers.expire(r.now())
	}
	if t := r.global.take(c, 0); t != nil {
		return t
	}
	if c.fresh.length() > 0 {
		c.lock.lock()
		t := c.fresh.popOldest()
		c.lock.unlock()
		return t
	}
	return nil
}

// nextRecent returns the thread that was woken last, unless it was its turn too
// often: then that goes behind the others.
func (c *carrier) nextRecent() *task {
	if c.streak++; c.streak <= maxStreak {
		return c.runnext.Swap(nil)
	}
	c.streak = 0
	if c.ring.length() == 0 {
		return c.runnext.Swap(nil)
	}
	if t := c.runnext.Swap(nil); t != nil {
		c.push(t)
	}
	return nil
}

// find returns a ready thread of anybody's, nil if there is none. It is for the
// loop, which has nothing else to do.
func (c *carrier) find() *task {
	r := c.rt
	t := c.next()
	if t == nil {
		if r.timers.pending() {
			r.timers.expire(r.now())
			t = c.next()
		}
		if t == nil && !c.wasPoor() {
			t = c.steal()
		}
	}
	if t != nil && r.spinning.Load() != 0 {
		// We may be the one that was woken to look. Let somebody else look now.
		r.spinning.Store(0)
		if (r.crowds.length.Load() == 0 || r.stuck.Load()) && r.hasSurplus() || r.global.length() > 0 || r.unkept() {
			r.wake()
		}
	}
	return t
}

// steal takes threads from others: half of what a carrier has. The only ready
// thread of a carrier that switches all the time is left alone: it will be run where
// it is in less time than it takes to move it, and two threads that wake each other
// stay together. It is taken from one that makes no progress.
func (c *carrier) steal() *task {
	all := *c.rt.all.Load()
	for i := range all {
		victim := all[(int(c.turn)+i)%len(all)]
		if victim == c {
			continue
		}
		t := c.stealFrom(victim)
		if t != nil {
			publish64(&c.hauled, max(c.rt.now(), 1))
		} else if victim.waiting() > 0 {
			turn := atomic.LoadUint32(&victim.turn)
			for range glances {
				glance()
			}
			if atomic.LoadUint32(&victim.turn) == turn {
				if t = c.takeSingle(victim); t != nil {
					c.rt.singles.helped(true)
				}
			}
		}
		if t != nil {
			c.counts.steals.inc()
			return t
		}
	}
	return nil
}

// stealFrom takes half of what victim has, if that is more than one thread.
func (c *carrier) stealFrom(victim *carrier) *task {
	if victim.ring.length() > 1 {
		if t := c.ring.steal(&victim.ring); t != nil {
			return t
		}
	}
	if victim.fresh.length() > 0 {
		victim.lock.lock()
		first := victim.fresh.popOldest()
		var batch [32]*task
		n := 0
		for n < len(batch) && n < victim.fresh.length()/2 {
			batch[n] = victim.fresh.popOldest()
			n++
		}
		victim.lock.unlock()
		if n > 0 {
			c.lock.lock()
			for _, t := range batch[:n] {
				c.fresh.push(t)
			}
			c.lock.unlock()
		}
		return first
	}
	if victim.later.length() > 0 {
		victim.releaseLater()
		return c.rt.global.take(c, ringSize/2)
	}
	return nil
}

// takeSingle takes the only ready thread of victim.
func (c *carrier) takeSingle(victim *carrier) *task {
	if t := c.ring.steal(&victim.ring); t != nil {
		return t
	}
	if victim.runnext.Load() != nil {
		return victim.runnext.Swap(nil)
	}
	return nil
}

// waiting returns how many threads are ready on c, about.
func (c *carrier) waiting() int {
	n := c.ring.length() + c.fresh.length() + c.later.length()
	if c.runnext.Load() != nil {
		n++
	}
	return n
}

// glance takes a nanosecond or two.
//
//go:noinline
func glance() {}

// glanceAround takes as long as a store needs to be seen by others, several times over.
func glanceAround() {
	for range 8 * glances {
		glance()
	}
}
