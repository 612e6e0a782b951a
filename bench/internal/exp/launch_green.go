package exp

import (
	"context"

	"greenthread/bench/internal/measure"
)

// launchGreen starts a function on a warm thread, again and again: just what
// create's green/pooled is.
func launchGreen(ctx context.Context) (measure.Sampler, error) { return createGreenPooled(ctx) }
