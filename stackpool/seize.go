package stackpool

import (
	"runtime"
	"sync/atomic"
	"time"

	"greenthread/internal/nap"
)

// asymmetric tells that a barrier on all processors can be had, so that owners of
// magazines need none. Tests switch it off to try the other way.
var asymmetric = barrierProbe()

// seize shuts the owners out of all magazines of the class: until unseize they go
// to the depot. Afterwards the caller may use the magazines. Needs grow.
//
// It costs one system call for all of them, and waits for owners that are inside,
// who leave after a few instructions unless the kernel has just taken their
// processor away.
func (c *class) seize() {
	if len(c.magazines) == 0 {
		return
	}
	for i := range c.magazines {
		c.magazines[i].seized.Store(1)
	}
	barrierIfOwed()
	for i := range c.magazines {
		for tries := 0; atomic.LoadUint32(&c.magazines[i].busy) != 0; tries++ {
			if tries < 100 {
				runtime.Gosched()
			} else {
				nap.For(20 * time.Microsecond)
			}
		}
	}
}

// barrierIfOwed makes the barrier that owners of magazines leave out.
func barrierIfOwed() {
	if cheap() {
		barrier()
	}
}

// unseize lets the owners in again. Needs grow.
func (c *class) unseize() {
	for i := range c.magazines {
		c.magazines[i].seized.Store(0)
	}
}

// drain moves what is in the magazines to the depot, and lets the owners in again
// unless they are to be shut out for ever. Needs grow.
func (c *class) drain(shut bool) {
	if !shut && c.inMagazines() == 0 {
		return
	}
	c.seize()
	c.mu.Lock()
	for i := range c.magazines {
		c.empty(&c.magazines[i])
	}
	c.mu.Unlock()
	if !shut {
		c.unseize()
	}
}

// empty moves what is in a magazine to the depot. Needs mu, and an outsider inside.
func (c *class) empty(m *magazine) {
	for _, s := range m.slots[:m.n] {
		c.deposit(s)
	}
	publish(&m.n, 0)
}

// deposit puts a stack into the depot. Needs mu.
func (c *class) deposit(s *Stack) {
	s.tick = c.pool.now.Load()
	c.cooled = c.cooled || s.heat == heatCold
	c.depot.push(s)
}

// stealAfter is how many new stacks a class must have made since it last stole. If a
// Get stole whenever it could, a carrier that takes and another that puts back would
// make do with a handful of stacks, and bounce them at every other call, at the price
// of a barrier each. So there are a few more stacks, until one of the two always
// finds some in the depot; but one carrier that needs many does not make them all
// anew while others have them.
const stealAfter = 2 * DefaultMagazine

// steal moves to the depot half of what each magazine holds, and reports whether
// that was anything. Who has one stack only keeps it: robbed, it would rob in
// turn. Needs grow.
func (c *class) steal() bool {
	if c.misses-c.robbed < stealAfter {
		return false
	}
	worth := false
	for i := range c.magazines {
		worth = worth || c.magazines[i].held() > 1
	}
	if !worth {
		return false
	}
	c.robbed = c.misses
	c.pool.steals.Add(1)
	c.seize()
	c.mu.Lock()
	var loot [maxMagazine]*Stack
	for i := range c.magazines {
		m := &c.magazines[i]
		for _, s := range loot[:m.shed(int(m.n)/2, loot[:])] {
			c.deposit(s)
		}
	}
	some := c.depot.len() > 0
	c.mu.Unlock()
	c.unseize()
	return some
}

// inMagazines returns how many stacks the magazines hold: exact while nobody is
// in Get or Put.
func (c *class) inMagazines() int {
	n := 0
	for i := range c.magazines {
		n += c.magazines[i].held()
	}
	return n
}

// served returns how many Gets and Puts there were: exact while nobody is in
// either, and never more Puts than Gets, as the Puts are read first. Needs mu.
func (c *class) served() (gets, puts uint64) {
	puts = c.puts
	for i := range c.magazines {
		puts += atomic.LoadUint64(&c.magazines[i].puts)
	}
	gets = c.gets
	for i := range c.magazines {
		gets += atomic.LoadUint64(&c.magazines[i].gets)
	}
	return gets, puts
}

// live returns how many stacks are between Get and Put.
func (c *class) live() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	gets, puts := c.served()
	return int(gets - puts)
}
