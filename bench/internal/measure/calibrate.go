package measure

import (
	"context"
	"fmt"
	"time"
)

// maxOps bounds the search for a repeat count, should an operation seem to take
// no time at all.
const maxOps = 1 << 30

// calibrate finds how often the operation must be repeated for one sample to
// take about target. It starts with one operation and grows by what it has seen,
// at most a hundredfold a step, since the first operations are the slow ones.
func (p Plan) calibrate(ctx context.Context, s Sampler) (int, error) {
	for n := 1; ; {
		r, err := p.sample(ctx, s, n)
		if err != nil {
			return 0, err
		}
		if r.Elapsed >= p.Sample/2 || n >= maxOps {
			return scale(n, r.Elapsed, p.Sample), nil
		}
		next := scale(n, r.Elapsed, p.Sample)
		n = min(max(next, 2*n), 100*n, maxOps)
	}
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
	r, err = s.Sample(ctx, p.Clock, n)
	if err == nil && (r.Elapsed < 0 || r.Ops != n) {
		err = fmt.Errorf("impossible reading: %d of %d operations in %v", r.Ops, n, r.Elapsed)
	}
	return r, err
}
