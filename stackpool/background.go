package stackpool

import (
	"slices"
	"sort"
	"time"
)

// What a policy does in the background. It sleeps as long as there is nothing that
// could be given back, and then has no timer and no goroutine:
//
//	asleep ──── a Put (wake) ────► awake, a timer runs
//	   ▲                              │ tick
//	   └── nothing is left to do ─────┤
//	                                  └──► awake, after Plan.Every
//
// A Put looks at asleep after it has put its stack into the cache; the tick sets
// asleep before it looks at the caches for the last time. So one of the two
// notices the other (see magazine for the barrier that this needs).

// chunk is how many stacks the background takes out of a depot at a time, so that a
// Get never waits long for them.
const chunk = 256

// wake starts the timer if nobody has yet.
func (p *Pool) wake() {
	number := p.asleep.Load()
	if number == 0 || !p.asleep.CompareAndSwap(number, 0) {
		return
	}
	// If other rules are in force meanwhile, they have a timer of their own.
	if r := p.rules.Load(); r.number == number {
		p.schedule(r)
	}
}

// schedule makes the next tick happen in time.
func (p *Pool) schedule(r *rules) { time.AfterFunc(r.plan.Every, func() { p.tick(r) }) }

// tick is one round of the background.
func (p *Pool) tick(r *rules) {
	if p.ended(r) {
		return
	}
	now := p.now.Add(1)
	for _, c := range p.all() {
		p.grow.Lock()
		c.rest()
		p.grow.Unlock()
		if c.decay(r, now); c.mayUnmap(r, now) {
			p.grow.Lock()
			c.unmapQuiet()
			p.grow.Unlock()
		}
	}
	p.grow.Lock()
	defer p.grow.Unlock()
	if r.ended {
		return
	}
	if p.idle(r, now) {
		p.asleep.Store(r.number)
		barrierIfOwed()
		if p.idle(r, now) || !p.asleep.CompareAndSwap(r.number, 0) {
			return // or a Put was faster, and has started another timer
		}
	}
	p.schedule(r)
}

// ended tells whether another policy is in force.
func (p *Pool) ended(r *rules) bool {
	p.grow.Lock()
	defer p.grow.Unlock()
	return r.ended
}

// rest moves to the depot what lies in magazines that nobody has used since the
// last time. Needs grow.
func (c *class) rest() {
	if c.closed {
		return
	}
	resting := false
	for i := range c.magazines {
		m := &c.magazines[i]
		used := m.uses()
		resting = resting || used == m.seen && m.held() > 0
	}
	if resting {
		c.seize()
	}
	c.mu.Lock()
	for i := range c.magazines {
		m := &c.magazines[i]
		used := m.uses()
		if resting && used == m.seen {
			c.empty(m)
		}
		m.seen = used
	}
	c.mu.Unlock()
	if resting {
		c.unseize()
	}
}

// decay asks the policy about the stacks in the depot that are old enough.
func (c *class) decay(r *rules, now uint32) {
	p := c.pool
	from := now - uint32(r.plan.From/r.plan.Every)
	// Those that are old enough now, and no others that become so meanwhile.
	c.mu.Lock()
	n := c.depot.aged(from)
	c.mu.Unlock()
	most := chunk
	if c.depot.order == LowestFirst {
		most = n // as each removal costs as much as that of all
	}
	taken := make([]*Stack, min(n, most))
	kept := 0
	for n > 0 {
		p.grow.Lock()
		if r.ended {
			p.grow.Unlock()
			break
		}
		c.mu.Lock()
		victims := c.depot.takeAged(from, kept, taken[:min(n, most)])
		c.mu.Unlock()
		if len(victims) == 0 {
			p.grow.Unlock()
			break
		}
		n -= len(victims)
		p.releaseAll(victims, func(s *Stack) Release {
			return r.policy.Release(Idle{Stack: s, Age: r.age(s, now)})
		})
		c.mu.Lock()
		for _, s := range victims {
			if s.heat != heatCold {
				kept++
			} else {
				c.cooled = true
			}
		}
		c.depot.putBack(victims)
		c.mu.Unlock()
		p.grow.Unlock()
	}
}

// age returns how long ago the depot got a stack.
func (r *rules) age(s *Stack, now uint32) time.Duration {
	return time.Duration(now-s.tick) * r.plan.Every
}

// mayUnmap tells whether there are more stacks without memory than at the last
// tick, and the policy agrees that their address space goes too: it is asked about
// one of them.
func (c *class) mayUnmap(r *rules, now uint32) bool {
	c.mu.Lock()
	s := c.depot.coldest()
	ask := c.cooled && s != nil
	c.cooled = false
	c.mu.Unlock()
	return ask && r.policy.Release(Idle{Stack: s, Age: r.age(s, now)}).How == Unmap
}

// unmapQuiet unmaps the arenas whose stacks are all in the depot without memory.
// Needs grow.
func (c *class) unmapQuiet() {
	if !c.closed {
		c.trim(func(d *depot, into []*Stack) []*Stack { return d.takeCold(into) })
	}
}

// idle tells whether the background has nothing more to do.
func (p *Pool) idle(r *rules, now uint32) bool {
	for _, c := range p.all() {
		c.mu.Lock()
		busy := !c.closed && (c.inMagazines() > 0 || c.depot.unsettled(now, r.plan))
		c.mu.Unlock()
		if busy {
			return false
		}
	}
	return true
}

// unsettled tells whether a policy may still change its mind about a stack.
func (d *depot) unsettled(now uint32, plan Plan) bool {
	if plan.Until == 0 {
		return d.warmth() > 0
	}
	until := now - uint32(plan.Until/plan.Every)
	young := func(s *Stack) bool { return int32(s.tick-until) > 0 }
	if d.order == LowestFirst {
		return slices.ContainsFunc(d.warm, young)
	}
	return d.warmth() > 0 && young(d.warm[len(d.warm)-1])
}

// aged returns how many warm stacks the depot has had since tick from or before.
func (d *depot) aged(from uint32) int {
	if d.order == LowestFirst {
		n := 0
		for _, s := range d.warm {
			if int32(s.tick-from) <= 0 {
				n++
			}
		}
		return n
	}
	list := d.warm[d.head:]
	return sort.Search(len(list), func(i int) bool { return int32(list[i].tick-from) > 0 })
}

// takeAged removes up to len(into) of these, the oldest first but for so many that
// are skipped.
func (d *depot) takeAged(from uint32, skip int, into []*Stack) []*Stack {
	if d.order != LowestFirst {
		n := min(d.aged(from)-skip, len(into))
		return into[:d.takeHead(skip, into[:max(0, n)])]
	}
	n := 0
	young := d.warm[:0]
	for _, s := range d.warm {
		if n < len(into) && int32(s.tick-from) <= 0 {
			into[n] = s
			n++
		} else {
			young = append(young, s)
		}
	}
	d.warm = young
	d.unsort()
	return into[:n]
}
