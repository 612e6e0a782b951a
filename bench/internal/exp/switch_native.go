package exp

import (
	"context"

	"greenthread/bench/internal/measure"
)

// switchNative swaps between two native contexts.
func switchNative(context.Context) (measure.Sampler, error) {
	return nil, notBuiltYet
}
