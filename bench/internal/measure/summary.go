package measure

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// Confidence is the level of the intervals in a [Summary].
const Confidence = 0.95

// LeastForInterval is how many samples an interval takes at least: of five, all
// are on the same side of the true median too often (2 x 1/32).
const LeastForInterval = 6

// A Summary says where samples lie.
type Summary struct {
	Min, Median, P99 float64

	// Lo and Hi enclose the median that infinitely many samples of this run would
	// have, with the probability Confidence. Nothing is assumed about the
	// distribution. They are infinite if there are fewer than LeastForInterval
	// samples. Another run may lie elsewhere: what changes from run to run is not
	// in the samples of one.
	Lo, Hi float64
}

// Summarize computes the summary of xs, of which there must be at least one.
func Summarize(xs []float64) Summary {
	// NewSample sorts what it is given.
	sample := benchmath.NewSample(slices.Clone(xs), &benchmath.DefaultThresholds)
	interval := benchmath.AssumeNothing.Summary(sample, Confidence)
	return Summary{Min: Min(xs), Median: Median(xs), P99: P99(xs), Lo: interval.Lo, Hi: interval.Hi}
}

// Bounded reports whether there were enough samples for an interval.
func (s Summary) Bounded() bool { return !math.IsInf(s.Lo, 0) && !math.IsInf(s.Hi, 0) }

// HalfWidth returns how far the interval reaches from the median, as a share of
// the median: the larger of both sides. It is infinite without an interval.
func (s Summary) HalfWidth() float64 {
	d := max(s.Hi-s.Median, s.Median-s.Lo)
	if d == 0 {
		return 0
	}
	return d / math.Abs(s.Median)
}
