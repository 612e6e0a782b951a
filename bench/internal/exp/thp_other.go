//go:build !linux

package exp

import "greenthread/bench/internal/measure"

// openPlain says that there is nothing to compare here.
func openPlain(string, int) (measure.Sampler, error) {
	return nil, measure.Unavailable("only Linux has this advice")
}
