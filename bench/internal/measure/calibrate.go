package measure

import (
	"context"
	"fmt"
	"math"
	"time"
)

// maxOps bounds the search for a repeat count, should an operation seem to take
// no time at all.
const maxOps = 1 << 30

// A sample that is disturbed seems to say that the operation is slow; with too few
// operations, all rounds would measure something else than those of the other variants:
// shorter samples are disturbed less often. So the fastest of several probes counts,
// and a probe is short, to have a chance to pass undisturbed on a busy machine.
const (
	probeShare = 10 // a probe is this part of a sample
	leastTries = 3  // probes
	mostTries  = 10 // as long as they take no more than three samples
)

// calibrate finds how often the operation must be repeated for one sample to take about
// as long as planned. It starts with one operation and grows by what it has seen, at
// most a hundredfold a step, since the first operations are the slow ones.
func (p Plan) calibrate(ctx context.Context, s Sampler) (int, error) {
	probe := p.Sample / probeShare
	for n := 1; ; {
		elapsed, err := p.fastest(ctx, s, n, probe/2)
		if err != nil {
			return 0, err
		}
		if elapsed >= probe/2 || n >= maxOps {
			return scale(n, elapsed, p.Sample), nil
		}
		n = min(max(scale(n, elapsed, probe), 2*n), 100*n, maxOps)
	}
}

// fastest returns the shortest time of some samples of n operations; one that is
// shorter than enough ends the search.
func (p Plan) fastest(ctx context.Context, s Sampler, n int, enough time.Duration) (time.Duration, error) {
	best, total := time.Duration(math.MaxInt64), time.Duration(0)
	for try := 0; try < leastTries || try < mostTries && total < 3*p.Sample; try++ {
		r, err := p.sample(ctx, s, n)
		if err != nil {
			return 0, err
		}
		total += r.Elapsed
		if best = min(best, r.Elapsed); best < enough {
			break
		}
	}
	return best, nil
}

// scale returns the number of operations that fill target, given that n took
// elapsed.
func scale(n int, elapsed, target time.Duration) int {
	want := float64(n) * float64(target) / float64(max(elapsed, 1))
	return int(min(max(want, 1), maxOps))
}

// sample takes one sample and turns a panic, or a reading that cannot be true,
// into an error.
func (p Plan) sample(ctx context.Context, s Sampler, n int) (r Reading, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	end := p.meter().Count()
	r, err = s.Sample(ctx, p.Clock, n)
	if !r.Elsewhere && r.Usage == (Usage{}) {
		r.Usage = end()
	}
	if err == nil && (r.Elapsed < 0 || r.Ops != n) {
		err = fmt.Errorf("impossible reading: %d of %d operations in %v", r.Ops, n, r.Elapsed)
	}
	return r, err
}
