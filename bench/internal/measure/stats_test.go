package measure_test

import (
	"slices"
	"testing"

	"greenthread/bench/internal/measure"
	"pgregory.net/rapid"
)

func samples(t *rapid.T) []float64 {
	return rapid.SliceOfN(rapid.Float64Range(0, 1e9), 1, 300).Draw(t, "samples")
}

// percent compares the share of xs that holds with p percent, exactly: it is
// negative, zero or positive.
func percent(p int, xs []float64, holds func(float64) bool) int {
	n := 0
	for _, x := range xs {
		if holds(x) {
			n++
		}
	}
	return 100*n - p*len(xs)
}

func TestFiguresAreOrderedAndWithinTheSamples(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs := samples(t)
		lo, mid, hi := measure.Min(xs), measure.Median(xs), measure.P99(xs)
		if !(lo <= mid && lo <= hi && hi <= slices.Max(xs) && mid <= slices.Max(xs)) {
			t.Fatalf("min %v, median %v, p99 %v", lo, mid, hi)
		}
		if len(xs) > 2 && mid > hi {
			t.Fatalf("median %v is above p99 %v", mid, hi)
		}
	})
}

func TestMedianHasHalfOfTheSamplesOnEachSide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs := samples(t)
		m := measure.Median(xs)
		if percent(50, xs, func(x float64) bool { return x < m }) > 0 {
			t.Fatalf("more than half of the samples are below %v", m)
		}
		if percent(50, xs, func(x float64) bool { return x > m }) > 0 {
			t.Fatalf("more than half of the samples are above %v", m)
		}
	})
}

func TestP99IsTheSmallestSampleThatNinetyNinePercentDoNotExceed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs := samples(t)
		p := measure.P99(xs)
		if !slices.Contains(xs, p) {
			t.Fatalf("%v is none of the samples", p)
		}
		if percent(99, xs, func(x float64) bool { return x <= p }) < 0 {
			t.Fatalf("fewer than 99%% of the samples are up to %v", p)
		}
		if percent(99, xs, func(x float64) bool { return x < p }) >= 0 {
			t.Fatalf("99%% of the samples are below %v already", p)
		}
	})
}

func TestFiguresDependOnNeitherOrderNorScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs := samples(t)
		shuffled := rapid.Permutation(xs).Draw(t, "shuffled")
		scaled := slices.Clone(xs)
		for i := range scaled {
			scaled[i] *= 4 // exact
		}
		for name, f := range map[string]func([]float64) float64{
			"min": measure.Min, "median": measure.Median, "p99": measure.P99,
		} {
			if f(xs) != f(shuffled) {
				t.Fatalf("%s depends on the order", name)
			}
			if 4*f(xs) != f(scaled) {
				t.Fatalf("%s of four times the samples is not four times as much", name)
			}
		}
	})
}

func TestFiguresLeaveTheSamplesAlone(t *testing.T) {
	xs := []float64{3, 1, 2}
	measure.Min(xs)
	measure.Median(xs)
	measure.P99(xs)
	measure.Summarize(xs)
	if !slices.Equal(xs, []float64{3, 1, 2}) {
		t.Errorf("the samples are %v now", xs)
	}
}

func TestFiguresOfSmallLists(t *testing.T) {
	for _, c := range []struct {
		xs               []float64
		min, median, p99 float64
	}{
		{[]float64{5}, 5, 5, 5},
		{[]float64{5, 1}, 1, 3, 5},
		{[]float64{5, 1, 2}, 1, 2, 5},
		{[]float64{4, 5, 1, 2}, 1, 3, 5},
	} {
		if lo, mid, hi := measure.Min(c.xs), measure.Median(c.xs), measure.P99(c.xs); lo != c.min || mid != c.median || hi != c.p99 {
			t.Errorf("%v: min %v, median %v, p99 %v, want %v, %v, %v", c.xs, lo, mid, hi, c.min, c.median, c.p99)
		}
	}
}
