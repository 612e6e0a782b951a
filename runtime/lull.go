package runtime

import (
	"sync/atomic"
	"time"
)

// A lull is how many wakes in a row are left out, since those who were woken could not
// help. It doubles with each that could not, and ends with the first that could. The
// monitor wakes somebody for threads that wait too long meanwhile.
type lull struct{ length atomic.Uint32 }

// maxLull is how long a lull gets at most.
const maxLull = 1 << 15

// skips reports whether a wake is to be left out; n counts those of a carrier.
func (l *lull) skips(n *uint32) bool {
	if *n < l.length.Load() {
		*n++
		return true
	}
	*n = 0
	return false
}

// helped notes whether a carrier that was woken could help.
func (l *lull) helped(yes bool) {
	n := l.length.Load()
	switch {
	case yes && n != 0:
		l.length.Store(0)
	case !yes && n < maxLull:
		l.length.Store(2*n + 1)
	}
}

const (
	// worthHauling is how long a carrier must be busy with what it has stolen from another.
	// To move a thread to another CPU takes 100 to 200 ns, of both carriers, and to wake a
	// carrier takes microseconds: threads that are over sooner are left where they are.
	worthHauling = int64(10 * time.Microsecond)
	// longHaul is from how long on that ends a lull.
	longHaul = 5 * worthHauling
)

// wasPoor is asked when c has nothing left to run. It reports whether what it has stolen
// last was not worth it: c goes to sleep then. While a carrier with something to run does not
// run it, whatever is stolen is worth it; and in a bubble, where time stands still.
func (c *carrier) wasPoor() bool {
	r := c.rt
	c.poor = false
	if hauled := c.hauled; hauled != 0 {
		publish64(&c.hauled, 0)
		busy := r.now() - hauled
		c.poor = busy < worthHauling && !r.bubbled && !r.stuck.Load()
		if c.poor || busy >= longHaul {
			r.haulHelped(!c.poor)
		}
	}
	return c.poor
}

// haulHelped notes whether it has helped that a carrier has stolen what was ready.
func (r *Runtime) haulHelped(yes bool) {
	r.crowds.helped(yes)
	r.singles.helped(yes) // who was woken for one may have found more
}
