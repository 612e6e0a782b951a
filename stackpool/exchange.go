package stackpool

// The way of a stack through the cache, of which only the first step is common:
//
//	Get: magazine ─► depot ─► magazines of others ─► a new slot
//	Put: magazine ─► depot

// take takes a stack from the magazine of this P, nil if it has none. It is all
// that a warm Get does.
func (c *class) take() *Stack {
	if c == nil {
		return nil // the pool was not made by New; a fault below, on a pinned P, would be fatal
	}
	var s *Stack
	if id := procPin(); id < len(c.magazines) {
		if m := &c.magazines[id]; m.enter() {
			if m.n > 0 {
				s = m.pop()
				count(&m.gets)
				if s.heat == heatCold {
					count(&m.cold)
				}
				s.setLive()
			}
			m.leave()
		}
	}
	procUnpin()
	return s
}

// add puts a stack into the magazine of this P, and reports whether there was
// room. It is all that a warm Put does, but for the checks.
func (c *class) add(s *Stack) bool {
	ok := false
	if id := procPin(); id < len(c.magazines) {
		if m := &c.magazines[id]; m.enter() {
			if m.n < c.capacity {
				m.push(s)
				count(&m.puts)
				ok = true
			}
			m.leave()
		}
	}
	procUnpin()
	return ok
}

// takeDepot takes a stack from the depot, and half a magazine more for this P.
func (c *class) takeDepot() *Stack {
	var batch [1 + maxMagazine/2]*Stack
	c.mu.Lock()
	n := c.depot.popSome(batch[:1+c.capacity/2])
	if n > 0 {
		c.gets++
		c.took(n)
		if batch[0].heat == heatCold {
			c.cold++
		}
	}
	c.mu.Unlock()
	if n == 0 {
		return nil
	}
	if n > 1 {
		c.stock(batch[1:n])
	}
	return batch[0]
}

// stock puts stacks, the one to be taken first in front, into the magazine of this
// P, and what it does not hold back into the depot.
func (c *class) stock(stacks []*Stack) {
	n := len(stacks)
	if id := procPin(); id < len(c.magazines) {
		if m := &c.magazines[id]; m.enter() {
			for ; n > 0 && m.n < c.capacity; n-- {
				m.push(stacks[n-1])
			}
			m.leave()
		}
	}
	procUnpin()
	if n > 0 {
		c.give(stacks[:n], 0)
	}
	c.pool.stir()
}

// putSlow puts a stack back that the magazine did not take: it makes room there
// first, by half.
func (c *class) putSlow(s *Stack) error {
	var batch [maxMagazine]*Stack
	n, taken := 0, false
	if id := procPin(); id < len(c.magazines) {
		if m := &c.magazines[id]; m.enter() {
			if m.n >= c.capacity {
				n = m.shed(int(c.capacity+1)/2, batch[:])
			}
			if m.n < c.capacity {
				m.push(s)
				count(&m.puts)
				taken = true
			}
			m.leave()
		}
	}
	procUnpin()
	if taken && n == 0 {
		c.pool.stir()
	}
	if taken {
		return c.give(batch[:n], 0)
	}
	batch[n] = s
	return c.give(batch[:n+1], 1)
}

// give puts stacks into the depot, the newest last, of which so many Puts are to
// be counted. If the pool was closed meanwhile, they go to the kernel.
func (c *class) give(stacks []*Stack, puts int) error {
	if len(stacks) == 0 {
		return nil
	}
	c.mu.Lock()
	c.puts += uint64(puts)
	if c.closed {
		c.mu.Unlock()
		return c.pool.putClosed(stacks)
	}
	for _, s := range stacks {
		c.deposit(s)
	}
	c.due += len(stacks)
	surplus := c.surplus()
	c.mu.Unlock()
	if surplus {
		c.relieve()
	}
	c.pool.stir()
	return nil
}
