package exp

import (
	"context"
	"runtime"

	"greenthread/bench/internal/measure"
)

// onOneP returns s with GOMAXPROCS set to 1 for the time of each sample. The
// change itself stops the world and is not timed.
func onOneP(s measure.Sampler) measure.Sampler { return oneP{s} }

type oneP struct{ measure.Sampler }

func (s oneP) Sample(ctx context.Context, clock measure.Clock, n int) (measure.Reading, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	return s.Sampler.Sample(ctx, clock, n)
}
