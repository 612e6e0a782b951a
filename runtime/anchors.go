package runtime

import (
	"sync/atomic"

	"greenthread/stackpool"
)

// A stable has the anchors of a runtime that nobody uses, and the stacks that are
// set aside for anchors that do not exist yet. Between a carrier's own few and the
// stable, anchors move when these are too many, or none.
//
// capacity counts anchors, used or not, and stacks. No thread is let in beyond it:
// so a thread that is to start always finds one or the other.
type stable struct {
	cache    *cache // where stacks come from
	capacity atomic.Int64

	lock  spin
	idle  []*thread
	slots []*stackpool.Stack
}

// carrierIdle is how many idle anchors a carrier keeps.
const carrierIdle = 32

// grow sees to it that so many threads can be alive.
func (s *stable) grow(live int64) error {
	s.lock.lock()
	defer s.lock.unlock()
	for live > s.capacity.Load() {
		stack, err := s.cache.stacks.Get()
		if err != nil {
			return err
		}
		s.slots = append(s.slots, stack)
		s.capacity.Add(1)
	}
	return nil
}

// anchor returns an idle anchor, nil if there is none and none can be made.
func (c *carrier) anchor() *thread {
	c.lock.lock()
	if n := len(c.idle); n > 0 {
		th := c.idle[n-1]
		c.idle = c.idle[:n-1]
		c.lock.unlock()
		return th
	}
	c.lock.unlock()
	return c.rt.stable.get(c.rt)
}

// get returns an anchor from the stable, from a carrier that has one to spare, or
// a new one.
func (s *stable) get(r *Runtime) *thread {
	s.lock.lock()
	if n := len(s.idle); n > 0 {
		th := s.idle[n-1]
		s.idle[n-1] = nil
		s.idle = s.idle[:n-1]
		s.lock.unlock()
		return th
	}
	var stack *stackpool.Stack
	if n := len(s.slots); n > 0 {
		stack = s.slots[n-1]
		s.slots[n-1] = nil
		s.slots = s.slots[:n-1]
	}
	s.lock.unlock()
	if stack != nil {
		return newNativeOn(s.cache, stack)
	}
	for _, c := range *r.all.Load() {
		c.lock.lock()
		if n := len(c.idle); n > 0 {
			th := c.idle[0]
			c.idle[0] = c.idle[n-1]
			c.idle = c.idle[:n-1]
			c.lock.unlock()
			return th
		}
		c.lock.unlock()
	}
	// One has been lost: it could not be used again. Make up for it.
	stack, err := s.cache.stacks.Get()
	if err != nil {
		return nil
	}
	s.capacity.Add(1)
	return newNativeOn(s.cache, stack)
}

// putAnchor takes back an anchor whose thread has ended.
func (c *carrier) putAnchor(th *thread) {
	s := &c.rt.stable
	if !th.renew() {
		s.capacity.Add(-1)
		th.dismiss()
		return
	}
	c.lock.lock()
	if len(c.idle) < carrierIdle {
		c.idle = append(c.idle, th)
		c.lock.unlock()
	} else {
		c.lock.unlock()
		s.put(th)
	}
	c.rt.feed(c)
}

// put takes an idle anchor; beyond what is kept, its stack is set aside or given
// back.
func (s *stable) put(th *thread) {
	s.lock.lock()
	s.idle = append(s.idle, th)
	s.lock.unlock()
}

// starve keeps t, for which there was no anchor, until one is given back. One that was
// given back meanwhile, by somebody who did not see t here, does.
func (c *carrier) starve(t *task) {
	c.rt.starved.push(t)
	if th := c.anchor(); th != nil {
		c.putAnchor(th)
	}
}

// feed lets a starved thread start, now that there is an anchor.
func (r *Runtime) feed(c *carrier) {
	if r.starved.length() == 0 {
		return
	}
	r.starved.lock.lock()
	t := r.starved.list.pop()
	r.starved.lock.unlock()
	if t != nil {
		c.push(t)
	}
}

// trim ends idle anchors and gives back stacks until at most keep of them are
// left beyond what the living threads need. It returns how many it has ended or
// given back.
func (s *stable) trim(r *Runtime, keep int) int {
	for _, c := range *r.all.Load() {
		c.giveUpIdle()
	}
	var ended []*thread
	var stacks []*stackpool.Stack
	s.lock.lock()
	spare := func() bool { return s.capacity.Load() > r.live.Load()+int64(max(keep, 0)) }
	for len(s.slots) > 0 && spare() {
		n := len(s.slots) - 1
		stacks = append(stacks, s.slots[n])
		s.slots[n] = nil
		s.slots = s.slots[:n]
		s.capacity.Add(-1)
	}
	for len(s.idle) > 0 && spare() {
		ended = append(ended, s.idle[0]) // the coldest
		s.idle[0] = nil
		s.idle = s.idle[1:]
		s.capacity.Add(-1)
	}
	s.lock.unlock()
	for _, stack := range stacks {
		s.cache.giveBack(stack)
	}
	for _, th := range ended {
		th.dismiss()
	}
	return len(ended) + len(stacks)
}

// excess returns by how much there are more anchors and stacks than are kept.
func (s *stable) excess(r *Runtime) int {
	return max(0, int(s.capacity.Load()-r.live.Load())-keepIdle)
}

// giveUpIdle moves c's idle anchors to the stable.
func (c *carrier) giveUpIdle() {
	c.lock.lock()
	idle := c.idle
	c.idle = nil
	c.lock.unlock()
	if len(idle) > 0 {
		s := &c.rt.stable
		s.lock.lock()
		s.idle = append(s.idle, idle...)
		s.lock.unlock()
	}
}
