package measure_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"greenthread/bench/internal/measure"
)

// wavering returns a variant whose operation takes d on a machine that wavers as real
// ones do: each sample is longer by a random amount, some by a lot, and the whole
// machine gets slower and faster from round to round.
func wavering(c *fakeClock, r *rand.Rand, name string, d time.Duration) measure.Variant {
	return measure.Variant{Name: name, Open: opens(measure.Loop(func(n int) error {
		factor := 1 + 0.05*r.ExpFloat64()
		if r.IntN(20) == 0 {
			factor *= 3
		}
		c.work(time.Duration(float64(n) * float64(d) * factor))
		return nil
	}, nil))}
}

// ratioOf measures two variants so, and returns their ratio.
func ratioOf(ctx context.Context, seed uint64, of, to time.Duration) measure.Summary {
	clock, random := newFakeClock(), rand.New(rand.NewPCG(seed, 1))
	p := plan(clock, 50)
	p.Progress = func(string, int) { clock.slowdown = 1 + random.Float64() }
	out := p.Run(ctx, experiment(wavering(clock, random, "A", of), wavering(clock, random, "B", to)))
	return measure.Summarize(measure.Ratio{Of: "A", To: "B"}.Quotients(out))
}

// The interval of the ratio must contain 1 as often as it promises.
func TestIdenticalVariantsHaveRatioOneWithinTheInterval(t *testing.T) {
	const tries = 200
	hits := 0
	for seed := range uint64(tries) {
		if s := ratioOf(t.Context(), seed, 100, 100); s.Lo <= 1 && 1 <= s.Hi {
			hits++
		}
	}
	if share := float64(hits) / tries; share < measure.Confidence-0.03 {
		t.Errorf("1 is within the interval in %d of %d runs, want %.0f%%", hits, tries, 100*measure.Confidence)
	}
}

// A delay of a tenth must be found in nearly each run, and with the right size.
func TestKnownDelayIsFoundOnAMachineThatWavers(t *testing.T) {
	const tries = 200
	found, right := 0, 0
	for seed := range uint64(tries) {
		s := ratioOf(t.Context(), seed, 110, 100)
		if s.Lo > 1 {
			found++
		}
		if s.Lo <= 1.1 && 1.1 <= s.Hi {
			right++
		}
		if math.Abs(s.Median-1.1) > 0.1 {
			t.Errorf("run %d: the ratio is %v, want 1.1", seed, s.Median)
		}
	}
	if found < tries*95/100 || right < tries*92/100 {
		t.Errorf("of %d runs, %d find the delay, and %d have its size within the interval", tries, found, right)
	}
}
