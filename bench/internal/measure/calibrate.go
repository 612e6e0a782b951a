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

// calibrateTries is how many samples must agree that an operation is repeated
// often enough. One is not sufficient: a single disturbance, such as a wait of
// 4 ms for a CPU, would otherwise settle for one operation per sample, and all
// rounds would measure what the first operation after a pause costs.
const calibrateTries = 3

// calibrate finds how often the operation must be repeated for one sample to
// take about as long as planned. It starts with one operation and grows by what it has seen,
// at most a hundredfold a step, since the first operations are the slow ones.
func (p Plan) calibrate(ctx context.Context, s Sampler) (int, error) {
	for n := 1; ; {
		elapsed, err := p.fastest(ctx, s, n)
		if err != nil {
			return 0, err
		}
		next := scale(n, elapsed, p.Sample)
		if elapsed >= p.Sample/2 || n >= maxOps {
			return next, nil
		}
		n = min(max(next, 2*n), 100*n, maxOps)
	}
}

// fastest returns the shortest time of a few samples of n operations; one is
// enough if it is short anyway.
func (p Plan) fastest(ctx context.Context, s Sampler, n int) (time.Duration, error) {
	best := time.Duration(math.MaxInt64)
	for range calibrateTries {
		r, err := p.sample(ctx, s, n)
		if err != nil {
			return 0, err
		}
		best = min(best, r.Elapsed)
		if best < p.Sample/2 {
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
