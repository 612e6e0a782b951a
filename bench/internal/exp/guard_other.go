//go:build !linux

package exp

import "greenthread/bench/internal/measure"

// openGuard says that there is nothing to compare here.
func openGuard(string, int) (measure.Sampler, error) {
	return nil, measure.Unavailable("only Linux has these system calls")
}
