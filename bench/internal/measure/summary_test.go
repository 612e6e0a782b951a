package measure_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"greenthread/bench/internal/measure"
)

func TestIntervalEnclosesTheMedian(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs := samples(t)
		s := measure.Summarize(xs)
		if !(s.Lo <= s.Median && s.Median <= s.Hi && s.Min <= s.Median && s.HalfWidth() >= 0) {
			t.Fatalf("%+v", s)
		}
		if s.Bounded() != (len(xs) >= measure.LeastForInterval) {
			t.Fatalf("of %d samples the interval is %v to %v", len(xs), s.Lo, s.Hi)
		}
	})
}

// The interval must contain the true median as often as it says.
func TestIntervalKeepsItsPromise(t *testing.T) {
	const tries, n = 2000, 25
	state := uint64(1) // of a fixed sequence, so that the count is the same each time
	random := func() float64 {
		state = state*6364136223846793005 + 1442695040888963407
		return float64(state>>11) / (1 << 53)
	}
	hits := 0
	for range tries {
		xs := make([]float64, n)
		for i := range xs {
			xs[i] = -math.Log(1 - random()) // a long tail, as times have; its median is ln 2
		}
		if s := measure.Summarize(xs); s.Lo <= math.Ln2 && math.Ln2 <= s.Hi {
			hits++
		}
	}
	if share := float64(hits) / tries; share < measure.Confidence-0.01 || share > 0.99 {
		t.Errorf("the interval contains the median in %.1f%% of the tries, want %.0f%% or a little more", 100*share, 100*measure.Confidence)
	}
}

func TestHalfWidthIsTheLargerSide(t *testing.T) {
	for _, c := range []struct {
		s    measure.Summary
		want float64
	}{
		{measure.Summary{Median: 100, Lo: 90, Hi: 105}, 0.10},
		{measure.Summary{Median: 100, Lo: 99, Hi: 120}, 0.20},
		{measure.Summary{Median: 5, Lo: 5, Hi: 5}, 0},
		{measure.Summary{}, 0},
		{measure.Summary{Median: 1, Lo: math.Inf(-1), Hi: math.Inf(1)}, math.Inf(1)},
	} {
		if got := c.s.HalfWidth(); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%+v: %v, want %v", c.s, got, c.want)
		}
	}
}
