package exp

import (
	"greenthread/bench/internal/measure"
	green "greenthread/runtime"
)

// notBuiltYet is the reason of the variants of two green threads that yield to
// each other.
const notBuiltYet = measure.Unavailable("the scheduler is not built yet")

// Backend tells which backend of the runtime the green variants run on.
func Backend() string { return green.Backend().String() }

// trimmed returns the end of a green variant: after stop, which may be nil, the
// threads that are idle now are told to end, so that no later variant pays for
// them.
func trimmed(stop func() error) func() error {
	return func() (err error) {
		if stop != nil {
			err = stop()
		}
		green.Trim(0)
		return err
	}
}
