package measure

import (
	"math"
	"time"
)

// A Clock tells the time that has passed since some fixed moment. It never goes
// backwards. Tests replace it by one that moves only when told to.
type Clock interface {
	Now() time.Duration

	// Since returns the time from start, a reading of Now, to now, without what
	// the two looks at the clock have added to it. It is never negative.
	Since(start time.Duration) time.Duration
}

// NewClock returns the machine's monotonic clock. It measures first what a look
// at the clock costs, for some 20 us.
func NewClock() Clock {
	c := monotonic{start: time.Now()}
	c.cost = costOf(c)
	return c
}

type monotonic struct {
	start time.Time
	cost  time.Duration
}

func (c monotonic) Now() time.Duration { return time.Since(c.start) }

func (c monotonic) Since(start time.Duration) time.Duration {
	return max(0, c.Now()-start-c.cost)
}

// clockTries is how many pairs of looks at the clock are taken to find their cost.
const clockTries = 500

// costOf returns how much time two looks at the clock see pass when there is
// nothing in between: the least of many, as more would be somebody else's doing.
func costOf(c interface{ Now() time.Duration }) time.Duration {
	cost := time.Duration(math.MaxInt64)
	for range clockTries {
		start := c.Now()
		cost = min(cost, c.Now()-start)
	}
	return cost
}
