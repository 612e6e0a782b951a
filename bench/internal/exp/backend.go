package exp

import (
	green "greenthread/runtime"
)

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
