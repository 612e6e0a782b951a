package compare

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"golang.org/x/perf/benchmath"

	"greenthread/bench/internal/measure"
	"greenthread/bench/internal/report"
)

// alpha is how probable one wrong change in a whole comparison may be.
const alpha = 0.05

// least is the smallest change that is believed, as a share of the first figure: runs
// of one program on one machine differ by so much.
const least = 0.03

// A Verdict is the answer for one figure.
type Verdict int

// In the order in which they are listed.
const (
	Changed      Verdict = iota
	Doubtful             // the samples differ, but so do parts of one run, or by less than 3%
	Noise                // such samples are likely without any change
	TooFewRounds         // no samples, however different, would have been enough
)

// A Change is a figure that both results have.
type Change struct {
	Experiment string
	Name       string // of the variant or ratio
	Metric     string // empty for a ratio
	Unit       string
	Count      bool // one of those that are taken besides, not what the experiment is about
	A, B       measure.Summary
	P          float64 // how likely such samples are if nothing has changed
	Wavers     float64 // by how much parts of one run differ, in the unit of the figure
	Verdict    Verdict

	leastP float64 // the smallest P that so many samples can have
}

// Delta returns by how much B is more than A, as a share of A; infinite where A is 0
// and B is not.
func (c Change) Delta() float64 {
	if c.A.Median == c.B.Median {
		return 0
	}
	return (c.B.Median - c.A.Median) / math.Abs(c.A.Median)
}

// Word says the verdict.
func (c Change) Word() string {
	switch c.Verdict {
	case Noise:
		return "noise"
	case TooFewRounds:
		return "too few rounds"
	}
	word := [2]string{"more", "less"}
	if c.Unit == "ns" || c.Unit == "ms" || c.Unit == "s" {
		word = [2]string{"slower", "faster"}
	}
	i := 0
	if c.Delta() < 0 {
		i = 1
	}
	if c.Verdict == Doubtful {
		return word[i] + "?"
	}
	return word[i]
}

// A Comparison is what two results tell.
type Comparison struct {
	Env          []Difference // what the figures depend on and is not the same
	Changes      []Change     // changed ones first, the greatest change first
	OnlyA, OnlyB []string     // figures of one result only
	Disturbed    []string     // what may have spoiled the figures of either
}

// A Difference is a fact about the environment that differs.
type Difference struct{ Key, A, B string }

// Files compares two results.
func Files(a, b *report.Stored) (Comparison, error) {
	var c Comparison
	other := map[string]int{}
	for i, r := range b.Results {
		other[key(r)] = i
	}
	matched := map[string]bool{}
	for _, r := range a.Results {
		i, ok := other[key(r)]
		if !ok {
			c.OnlyA = append(c.OnlyA, key(r))
			continue
		}
		s := b.Results[i]
		if r.Unit != s.Unit {
			return c, fmt.Errorf("the unit of %s is %q in one file and %q in the other", key(r), r.Unit, s.Unit)
		}
		matched[key(r)] = true
		c.Changes = append(c.Changes, change(Change{
			Experiment: r.Experiment, Name: r.Variant, Metric: r.Metric, Unit: r.Unit, Count: isCount(r.Metric), A: r.Summary, B: s.Summary,
		}, r.Samples, s.Samples))
	}
	for _, r := range b.Results {
		if !matched[key(r)] {
			c.OnlyB = append(c.OnlyB, key(r))
		}
	}
	if len(c.Changes) == 0 {
		return c, errors.New("the two results have no figure in common")
	}
	for _, r := range a.Ratios {
		i := slices.IndexFunc(b.Ratios, func(s report.RatioResult) bool { return s.Experiment == r.Experiment && s.Name == r.Name })
		if i >= 0 {
			c.Changes = append(c.Changes, change(Change{
				Experiment: r.Experiment, Name: r.Name, A: r.Summary, B: b.Ratios[i].Summary,
			}, r.Samples, b.Ratios[i].Samples))
		}
	}
	judge(c.Changes)
	slices.SortStableFunc(c.Changes, func(x, y Change) int {
		return cmp.Or(cmp.Compare(x.Verdict, y.Verdict), cmp.Compare(y.size(), x.size()))
	})
	c.Env = differences(a, b)
	c.Disturbed = append(disturbed("A", a), disturbed("B", b)...)
	return c, nil
}

// key names a figure for people and for a map.
func key(r report.Result) string { return r.Experiment + "/" + r.Variant + " " + r.Metric }

func isCount(metric string) bool {
	return slices.ContainsFunc(measure.Counts(), func(m measure.Metric) bool { return m.Name == metric })
}

// size orders changes: twice as much and half as much are the same size.
func (c Change) size() float64 {
	if c.A.Median == c.B.Median {
		return 0
	}
	return math.Abs(math.Log(math.Abs(c.B.Median / c.A.Median)))
}

// change fills in what the test says about the samples.
func change(c Change, a, b []float64) Change {
	test := func(a, b []float64) float64 {
		return benchmath.AssumeNothing.Compare(
			benchmath.NewSample(slices.Clone(a), &benchmath.DefaultThresholds),
			benchmath.NewSample(slices.Clone(b), &benchmath.DefaultThresholds)).P
	}
	c.P = test(a, b)
	c.leastP = test(sequence(0, len(a)), sequence(len(a), len(b)))
	c.Wavers = max(wavers(a), wavers(b))
	return c
}

// wavers returns how far the medians of the quarters of a run are apart; 0 if there
// are not two rounds for each quarter.
func wavers(xs []float64) float64 {
	const parts = 4
	if len(xs) < 2*parts {
		return 0
	}
	var medians [parts]float64
	for i := range medians {
		medians[i] = measure.Median(xs[i*len(xs)/parts : (i+1)*len(xs)/parts])
	}
	return slices.Max(medians[:]) - slices.Min(medians[:])
}

// trifling reports whether both figures are counts that are as good as none.
func (c Change) trifling() bool {
	return c.Count && report.Count(c.A.Median) == "0" && report.Count(c.B.Median) == "0"
}

// sequence returns n numbers from start on.
func sequence(start, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(start + i)
	}
	return out
}

// judge gives the verdicts, by the method of Holm where it is about chance. The
// counts are a family of their own, so that they do not make the test of the figures
// blunter.
func judge(changes []Change) {
	for i := range changes {
		changes[i].Verdict = Noise
	}
	for _, counts := range []bool{false, true} {
		var family []*Change
		for i := range changes {
			if changes[i].Count == counts && !changes[i].trifling() {
				family = append(family, &changes[i])
			}
		}
		slices.SortFunc(family, func(x, y *Change) int { return cmp.Compare(x.P, y.P) })
		rejecting := true
		for i, c := range family {
			limit := alpha / float64(len(family)-i)
			rejecting = rejecting && c.P < limit
			switch {
			case rejecting && math.Abs(c.B.Median-c.A.Median) > max(least*math.Abs(c.A.Median), c.Wavers):
				c.Verdict = Changed
			case rejecting:
				c.Verdict = Doubtful
			case c.leastP >= limit:
				c.Verdict = TooFewRounds
			default:
				c.Verdict = Noise
			}
		}
	}
}

// differences lists what the figures depend on and is not the same. The time is left
// out, as it always differs.
func differences(a, b *report.Stored) []Difference {
	var out []Difference
	fa, fb := report.Facts(a.Env), report.Facts(b.Env)
	for i := range fa {
		if fa[i].Key != "time" && fa[i].Value != fb[i].Value {
			out = append(out, Difference{fa[i].Key, fa[i].Value, fb[i].Value})
		}
	}
	return out
}

// disturbed lists what may have spoiled the figures of a result.
func disturbed(which string, s *report.Stored) []string {
	var out []string
	if s.Interrupted {
		out = append(out, which+" was interrupted")
	}
	for _, experiment := range slices.Sorted(maps.Keys(s.Disturbed)) {
		for _, text := range s.Disturbed[experiment] {
			out = append(out, fmt.Sprintf("%s, %s: %s", which, experiment, text))
		}
	}
	return out
}
