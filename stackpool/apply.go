package stackpool

import (
	"fmt"
	"slices"
	"time"
)

// rules are a policy that is in force, or was.
type rules struct {
	policy Policy
	plan   Plan
	number uint32 // counts from 1 in the pool
	ended  bool   // another policy is in force; with the grow lock
}

// newRules makes the rules of a policy, which may be nil for the default one.
func (p *Pool) newRules(policy Policy) (*rules, error) {
	if policy == nil {
		policy = DefaultPolicy()
	}
	r := &rules{policy: policy, plan: policy.Plan()}
	if n := r.plan.Batch; n < 0 || n > 1<<20 {
		return nil, &ConfigError{"Policy: Plan.Batch", int64(n), 0, 1 << 20}
	}
	for _, d := range []time.Duration{r.plan.Every, r.plan.From, r.plan.Until} {
		if d < 0 || d > 1000*time.Hour {
			return nil, &ConfigError{"Policy: times in Plan", int64(d), 0, int64(1000 * time.Hour)}
		}
	}
	if e := r.plan.Every; e > 0 && e < time.Millisecond {
		return nil, &ConfigError{"Policy: Plan.Every", int64(e), int64(time.Millisecond), int64(1000 * time.Hour)}
	}
	return r, nil
}

// enact puts rules in force. Needs grow, or a new pool.
func (p *Pool) enact(r *rules) {
	r.number = 1
	if old := p.rules.Load(); old != nil {
		old.ended = true
		r.number = max(1, old.number+1)
	}
	p.rules.Store(r)
	p.asleep.Store(0)
	p.special.Store(r.each() || p.poison || p.hook != nil)
}

// each tells whether the policy is asked at each Put, and batches whether it is asked
// about several stacks together.
func (r *rules) each() bool    { return r.plan.OnPut && r.plan.Batch <= 1 }
func (r *rules) batches() bool { return r.plan.OnPut && r.plan.Batch > 1 }

// SetPolicy puts another policy in force, nil for DefaultPolicy. What is cached already
// stays as it is until the new policy is asked about it in the background, if it works
// there; for the new one all of it was put back just now. A Put that is under way may
// still follow the old one. The error is a ConfigError for a plan that cannot be, or
// wraps ErrClosed; then nothing is changed. It waits for a Trim or a Get that grows the
// pool, and takes some nanoseconds for each cached stack.
func (p *Pool) SetPolicy(policy Policy) error {
	p.grow.Lock()
	defer p.grow.Unlock()
	switch {
	case p.main == nil:
		return errNotMade
	case p.main.closed:
		return fmt.Errorf("stackpool: pool %q: set policy: %w", p.name, ErrClosed)
	}
	r, err := p.newRules(policy)
	if err != nil {
		return err
	}
	p.enact(r)
	now := p.now.Load()
	for _, c := range p.all() {
		c.mu.Lock()
		c.due = 0
		for _, list := range [][]*Stack{c.depot.warm[c.depot.head:], c.depot.cold, c.depot.odd} {
			for _, s := range list {
				s.tick = now
			}
		}
		c.cooled = len(c.depot.cold) > 0
		c.mu.Unlock()
	}
	if r.plan.Every > 0 {
		p.schedule(r)
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
	rules := p.rules.Load()
	p.event(EventPut, s, 0)
	if p.poison {
		p.fill(s)
	}
	var r Release
	if s.odd {
		r.How = Discard
	} else if rules.each() {
		r = rules.policy.Release(Idle{Stack: s})
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
	r := c.pool.rules.Load()
	return c.depot.warmth() > c.limit() || r.batches() && c.due >= r.plan.Batch
}

// relieve asks the policy about the batch that has come together, and takes the
// memory of what is more than the depot may hold. The stacks are the caller's
// meanwhile, so that a Get may have to make a new one instead.
func (c *class) relieve() {
	p := c.pool
	rules := p.rules.Load()
	var asked, older []*Stack
	c.mu.Lock()
	if rules.batches() && c.due >= rules.plan.Batch {
		asked = c.depot.takeTail(c.due, nil)
		c.due = 0
	}
	if n := c.depot.warmth() + len(asked) - c.limit(); n > 0 {
		older = c.depot.takeSurplus(min(n, c.depot.warmth()))
	}
	c.mu.Unlock()

	unmap := false
	p.releaseAll(asked, func(s *Stack) Release {
		r := rules.policy.Release(Idle{Stack: s})
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
