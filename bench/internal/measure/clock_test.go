package measure

import (
	"testing"
	"time"
)

// steppingClock moves at each look: mostly by 20 ns, sometimes by more, as when the
// looks are interrupted.
type steppingClock struct {
	now   time.Duration
	looks int
}

func (c *steppingClock) Now() time.Duration {
	c.looks++
	c.now += 20
	if c.looks%3 == 0 {
		c.now += 5 * time.Millisecond
	}
	return c.now
}

func TestCostOfTheClockIsTheLeastThatIsSeen(t *testing.T) {
	if got := costOf(&steppingClock{}); got != 20 {
		t.Errorf("the cost is %v, want 20ns", got)
	}
}

func TestCostOfTheClockIsTakenOff(t *testing.T) {
	c := monotonic{start: time.Now(), cost: time.Hour}
	if got := c.Since(c.Now() - 3*time.Hour); got < 2*time.Hour || got > 2*time.Hour+time.Minute {
		t.Errorf("of 3 h there are %v left, want 2 h", got)
	}
	if got := c.Since(c.Now()); got != 0 {
		t.Errorf("the time between two looks is %v, want 0", got)
	}
	if cost := NewClock().(monotonic).cost; cost <= 0 || cost > time.Millisecond {
		t.Errorf("two looks at this machine's clock cost %v", cost)
	}
}
