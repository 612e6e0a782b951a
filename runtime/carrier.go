package runtime

import (
	"unsafe"

	"greenthread/asm"
	"greenthread/futex"
)

// globalEvery is how often, in turns, the global queue is looked at before the
// own ring: without it, threads that keep a ring full would starve the others.
const globalEvery = 61

// A carrier is a goroutine that runs threads. A thread that gives way switches to
// the next one directly; only with none the carrier itself goes on, in loop.
//
// Whatever is switched to, a thread or the carrier's loop, first calls settle:
// it does with the thread that was running before what could not be done before
// that was switched out.
type carrier struct {
	rt     *Runtime
	self   asm.Goroutine
	parker futex.Parker
	spare  bool // started for a blocked one; ends when it is not needed

	turn    uint32 // counts threads that were resumed here
	action  action // what to do with prev
	prev    *Thread
	lock    *spin   // for the action release
	running *thread // what the monitor looks at, see look
	seen    *thread // the monitor's: running and turn when it looked last
	seenAt  uint32

	ring ring
}

// An action is what to do with a thread once it is switched out.
type action uint8

const (
	requeue    action = iota // it has only given way
	commit                   // it parks, unless there is a token
	release                  // it waits in a queue, whose lock is still locked
	commitWait               // it waits in the way of waiter.waitFor
	bury                     // it has ended
)

// addCarrier starts one more carrier. The caller holds r.mu.
func (r *Runtime) addCarrier() {
	old := *r.all.Load()
	c := &carrier{rt: r, spare: len(old) >= r.carriers}
	all := append(append(make([]*carrier, 0, len(old)+1), old...), c)
	r.all.Store(&all)
	go c.loop()
}

// loop runs threads until the runtime ends, or the carrier is one too many.
func (c *carrier) loop() {
	c.self = asm.Self()
	for {
		t := c.find()
		if t == nil {
			if !c.sleep() {
				return
			}
			continue
		}
		c.resume(t)
	}
}

// resume switches from the loop to t. When it returns, all threads that could run
// here have.
func (c *carrier) resume(t *Thread) {
	c.take(t)
	t.th.ctx.Switch(nil)
	storeShared(&c.running, nil)
	c.settle()
}

// take makes t what runs on c. A switch to it must follow.
func (c *carrier) take(t *Thread) {
	t.carrier = c
	publish(&c.turn, c.turn+1)
	storeShared(&c.running, t.th)
	raceRelease(unsafe.Pointer(c))
}

// back switches from t, which the caller is, to the loop. When it returns, the
// caller may be on another carrier.
func (c *carrier) back(t *Thread) {
	raceRelease(unsafe.Pointer(c))
	t.th.ctx.SetBack(c.self)
	t.th.ctx.Leave()
	t.carrier.settle()
}

// settle does what is to be done with the thread that ran before.
func (c *carrier) settle() {
	raceAcquire(unsafe.Pointer(c))
	t := c.prev
	if t == nil {
		return
	}
	c.prev = nil
	switch c.action {
	case requeue:
		c.push(t)
		c.rt.wake() // somebody may have looked before it was here, and gone to sleep
	case commit:
		if !t.commitPark() {
			c.push(t)
			c.rt.wake()
		}
	case release:
		c.lock.unlock()
	case commitWait:
		if t.waiter.commit() {
			c.push(t)
			c.rt.wake()
		}
	case bury:
		t.bury()
	}
}

// push makes t ready here, or for anybody if the ring is full.
func (c *carrier) push(t *Thread) {
	if !c.ring.push(t) {
		c.rt.global.push(t)
	}
}

// next returns a ready thread of this carrier's, nil if there is none.
func (c *carrier) next() *Thread {
	if c.turn%globalEvery == 0 {
		if t := c.rt.global.take(&c.ring, 0); t != nil {
			return t
		}
	}
	if t := c.ring.pop(); t != nil {
		return t
	}
	return c.rt.global.take(&c.ring, ringSize/4)
}

// find returns a ready thread of anybody's, nil if there is none.
func (c *carrier) find() *Thread {
	t := c.next()
	if t == nil {
		all := *c.rt.all.Load()
		start := int(c.turn)
		for i := range all {
			if victim := all[(start+i)%len(all)]; victim != c {
				if t = c.ring.steal(&victim.ring); t != nil {
					break
				}
			}
		}
	}
	if t != nil && c.rt.spinning.Load() != 0 {
		// We may be the one that was woken to look. Let somebody else look now.
		c.rt.spinning.Store(0)
		if c.rt.hasWork() {
			c.rt.wake()
		}
	}
	return t
}

// sleep waits until there may be work. It reports false if the carrier shall end.
func (c *carrier) sleep() bool {
	r := c.rt
	if r.stopped() {
		return false
	}
	r.mu.Lock()
	if c.spare && len(*r.all.Load())-int(r.blocked.Load()) > r.carriers {
		r.retire(c)
		r.mu.Unlock()
		r.spinning.Store(0)
		if r.hasWork() {
			r.wake()
		}
		return false
	}
	r.idle = append(r.idle, c)
	r.idling.Store(int32(len(r.idle)))
	r.mu.Unlock()
	// From here on ready() sees us. What was made ready before, we see here.
	r.spinning.Store(0)
	if r.hasWork() || r.stopped() {
		if !r.leaveIdle(c) {
			c.parker.Park() // somebody has woken us meanwhile: take the token
		}
		return true
	}
	c.parker.Park()
	return true
}

// leaveIdle takes c off the idle list; it reports false if it is not there.
func (r *Runtime) leaveIdle(c *carrier) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, other := range r.idle {
		if other == c {
			r.idle = append(r.idle[:i], r.idle[i+1:]...)
			r.idling.Store(int32(len(r.idle)))
			return true
		}
	}
	return false
}

// retire takes c, whose ring is empty, off the list of carriers. The caller holds
// r.mu.
func (r *Runtime) retire(c *carrier) {
	old := *r.all.Load()
	all := make([]*carrier, 0, len(old)-1)
	for _, other := range old {
		if other != c {
			all = append(all, other)
		}
	}
	r.all.Store(&all)
}
