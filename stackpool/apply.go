package stackpool

import (
	"slices"
	"time"
)

// setPolicy takes over what a Config says about the release of memory.
func (p *Pool) setPolicy(c Config) error {
	p.policy = c.Policy
	if p.policy == nil {
		p.policy = DefaultPolicy()
	}
	p.plan = p.policy.Plan()
	if n := p.plan.Batch; n < 0 || n > 1<<20 {
		return &ConfigError{"Policy: Plan.Batch", int64(n), 0, 1 << 20}
	}
	for _, d := range []time.Duration{p.plan.Every, p.plan.From, p.plan.Until} {
		if d < 0 || d > 1000*time.Hour {
			return &ConfigError{"Policy: times in Plan", int64(d), 0, int64(1000 * time.Hour)}
		}
	}
	if e := p.plan.Every; e > 0 && e < time.Millisecond {
		return &ConfigError{"Policy: Plan.Every", int64(e), int64(time.Millisecond), int64(1000 * time.Hour)}
	}
	p.maxWarm, p.warmMem = c.MaxWarm, uintptr(c.MaxWarmBytes)
	p.special = p.plan.OnPut && p.plan.Batch <= 1 || c.Poison || c.Hook != nil
	if p.plan.Every > 0 {
		p.asleep.Store(1)
	}
	return nil
}

// stir wakes the background if it sleeps. Comes after a stack was put somewhere.
func (p *Pool) stir() {
	if p.asleep.Load() != 0 {
		p.wake()
	}
}

// putSpecial puts back a stack with which there is more to do first.
func (c *class) putSpecial(s *Stack) error {
	p := c.pool
	p.event(EventPut, s, 0)
	if p.poison {
		p.fill(s)
	}
	var r Release
	if s.odd {
		r.How = Discard
	} else if p.plan.OnPut && p.plan.Batch <= 1 {
		r = p.policy.Release(Idle{Stack: s})
	}
	p.release(s, r) // a refusal is counted, and the stack stays warm
	if r.How != Unmap && !s.odd {
		if c.add(s) {
			p.stir()
			return nil
		}
		return c.putSlow(s)
	}
	a := s.arena
	err := c.give([]*Stack{s}, 1)
	if err == nil && r.How == Unmap {
		c.unmapIfQuiet(a)
	}
	return err
}

// unmapIfQuiet unmaps an arena if all its stacks are in the depot.
func (c *class) unmapIfQuiet(a *arena) {
	p := c.pool
	p.grow.Lock()
	defer p.grow.Unlock()
	if c.closed || !slices.Contains(c.arenas, a) {
		return // somebody else was faster
	}
	quiet := true
	a.each(func(s *Stack) { quiet = quiet && s.state.Load() == stateCached })
	if !quiet {
		return
	}
	c.mu.Lock()
	stacks := c.depot.takeArena(a, c.scratch[:0])
	c.mu.Unlock()
	if a.idle = len(stacks); a.quiet() {
		if n, err := p.dropArena(a); err == nil {
			p.released.Add(uint64(n))
			return
		}
	}
	c.mu.Lock()
	c.depot.putOldest(stacks)
	c.mu.Unlock()
}

// took counts what was taken from the depot, where it matters whether those were
// stacks that the policy was not asked about yet. Needs mu.
func (c *class) took(n int) {
	if c.depot.order != FIFO {
		c.due = max(0, c.due-n)
	}
	c.due = min(c.due, c.depot.warmth())
}

// limit returns how many warm stacks the depot may hold.
func (c *class) limit() int {
	limit := int(^uint(0) >> 1)
	if c.pool.maxWarm > 0 {
		limit = c.pool.maxWarm
	}
	if c.pool.warmMem > 0 {
		limit = min(limit, int(c.pool.warmMem/c.geometry.size))
	}
	return limit
}

// surplus tells whether relieve has something to do. Needs mu.
func (c *class) surplus() bool {
	return c.depot.warmth() > c.limit() || c.pool.plan.OnPut && c.pool.plan.Batch > 1 && c.due >= c.pool.plan.Batch
}

// relieve asks the policy about the batch that has come together, and takes the
// memory of what is more than the depot may hold. The stacks are the caller's
// meanwhile, so that a Get may have to make a new one instead.
func (c *class) relieve() {
	p := c.pool
	var asked, older []*Stack
	c.mu.Lock()
	if p.plan.OnPut && p.plan.Batch > 1 && c.due >= p.plan.Batch {
		asked = c.depot.takeTail(c.due, nil)
		c.due = 0
	}
	if n := c.depot.warmth() + len(asked) - c.limit(); n > 0 {
		older = c.depot.takeSurplus(min(n, c.depot.warmth()))
	}
	c.mu.Unlock()

	unmap := false
	p.releaseAll(asked, func(s *Stack) Release {
		r := p.policy.Release(Idle{Stack: s})
		unmap = unmap || r.How == Unmap
		return r
	})
	p.releaseAll(older, func(*Stack) Release { return Release{How: Discard} })

	stacks := slices.Concat(older, asked)
	c.mu.Lock()
	closed := c.closed
	if !closed {
		for _, s := range stacks {
			c.depot.push(s)
		}
	}
	c.mu.Unlock()
	if closed {
		p.putClosed(stacks)
	} else if unmap {
		p.grow.Lock()
		c.unmapQuiet()
		p.grow.Unlock()
	}
}

// takeSurplus removes the n oldest warm stacks; with LowestFirst those with the
// highest addresses.
func (d *depot) takeSurplus(n int) []*Stack {
	if d.order == LowestFirst {
		return d.takeTail(n, nil)
	}
	taken := make([]*Stack, n)
	d.takeHead(0, taken)
	return taken
}
