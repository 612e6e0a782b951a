//go:build !linux || futexportable

package futex

import (
	"sync/atomic"
	"time"
)

// sleeper is the portable one: it lets the Go scheduler do the blocking, on a channel that holds one ring of the bell.
// Build with the tag futexportable to have it on Linux too; the Parker's tests pass with either.
type sleeper struct {
	bell chan struct{}
}

// make hangs the bell up. The parking goroutine does so before it stores asleep, and only who finds that rings.
func (s *sleeper) make() {
	if s.bell == nil {
		s.bell = make(chan struct{}, 1)
	}
}

// sleep blocks while *word == val, and reports whether the deadline ended it. It may return for no reason: an old ring
// stays in the channel until the next sleep.
func (s *sleeper) sleep(word *uint32, val uint32, deadline Deadline) (timedOut bool) {
	if atomic.LoadUint32(word) != val {
		return false
	}
	if deadline == Never {
		<-s.bell
		return false
	}
	timer := time.NewTimer(deadline.Until())
	defer timer.Stop()
	select {
	case <-s.bell:
		return false
	case <-timer.C:
		return deadline.Passed() // another clock may have run ahead
	}
}

// wake rings. If the bell still rings from before, that wakes the sleeper just as well.
func (s *sleeper) wake(*uint32) {
	select {
	case s.bell <- struct{}{}:
	default:
	}
}
