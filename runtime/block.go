package runtime

import "sync/atomic"

// Block calls fn, which is known to block: in a system call, in C, on the network. The
// carrier of the calling thread is handed over at once, to a sleeping or a new one, if
// other threads are ready; without Block, the monitor would notice after half a
// millisecond or more. When fn has returned, or panicked, the thread goes on where it is, beside the
// new carrier, until it gives way; then one of the two retires.
//
// It costs two locked sections of some nanoseconds, and the start or wake of a
// carrier (some microseconds). What waits by the primitives of this package needs no
// Block. On an ordinary goroutine it only calls fn.
func Block(fn func()) {
	t := caller()
	if t == nil {
		fn()
		return
	}
	c := t.carrier
	c.goAway()
	defer c.comeBack()
	fn()
}

// goAway counts c as blocked, and sees to it that another carrier runs what is ready.
func (c *carrier) goAway() {
	r := c.rt
	c.away.Add(1)
	r.blocked.Add(1) // until the monitor counts again
	if !r.hasWork() {
		return
	}
	r.stuck.Store(true) // until the monitor looks again
	if r.idling.Load() > 0 {
		r.wake()
		return
	}
	r.mu.lock()
	defer r.mu.unlock()
	if len(*r.all.Load())-int(r.blocked.Load()) < r.carriers {
		publish(&c.replaced, 1)
		r.addCarrier()
	}
}

// comeBack ends what goAway has begun. The caller may have come to another carrier
// meanwhile, if fn has let others run.
func (c *carrier) comeBack() {
	c.away.Add(-1)
	if atomic.LoadUint32(&c.replaced) == 0 { // else stepBack does it
		c.rt.blocked.Add(-1)
	}
}
