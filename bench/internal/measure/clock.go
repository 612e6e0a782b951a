package measure

import "time"

// A Clock tells the time that has passed since some fixed moment. It never goes
// backwards. Tests replace it by one that moves only when told to.
type Clock interface {
	Now() time.Duration
}

// NewClock returns the machine's monotonic clock.
func NewClock() Clock { return monotonic{start: time.Now()} }

type monotonic struct{ start time.Time }

func (c monotonic) Now() time.Duration { return time.Since(c.start) }
