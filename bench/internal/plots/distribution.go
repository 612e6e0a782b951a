package plots

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"greenthread/bench/internal/report"
)

// Limits of a plot of distributions.
const (
	mostCurves  = 2 * 8 // as many as styleOf tells apart
	leastPoints = 10    // fewer make no curve
)

// A curve is the share of samples up to each value.
type curve struct {
	style  draw.LineStyle
	sorted []float64
}

// Plot draws the curve as steps.
func (cv curve) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	n := float64(len(cv.sorted))
	path := []vg.Point{{X: x(cv.sorted[0]), Y: y(0)}}
	for i, v := range cv.sorted {
		path = append(path, vg.Point{X: x(v), Y: y(float64(i) / n)}, vg.Point{X: x(v), Y: y(float64(i+1) / n)})
	}
	c.StrokeLines(cv.style, path)
}

// distribution draws a curve for each list of values, called by its name. It reports
// false where there is nothing to draw.
func distribution(names []string, values [][]float64) (figure, bool) {
	if len(names) > mostCurves {
		return figure{}, false
	}
	p := newPlot()
	p.Add(grid{})
	f := figure{plot: p}
	lo, hi := math.Inf(1), 0.0
	for i, list := range values {
		if len(list) < leastPoints || slices.Min(list) <= 0 {
			continue
		}
		sorted := slices.Sorted(slices.Values(list))
		lo, hi = min(lo, sorted[0]), max(hi, sorted[len(sorted)-1])
		p.Add(curve{styleOf(i), sorted})
		f.legend = append(f.legend, entry{names[i], stroke(styleOf(i))})
	}
	if len(f.legend) == 0 {
		return f, false
	}
	lo, hi = span(lo, hi)
	logAxis(&p.X, lo, hi)
	p.Y.Min, p.Y.Max = 0, 1.02
	p.Y.Tick.Marker = plot.ConstantTicks{
		{Value: 0, Label: "0%"}, {Value: 0.25, Label: "25%"}, {Value: 0.5, Label: "50%"},
		{Value: 0.75, Label: "75%"}, {Value: 1, Label: "100%"},
	}
	return f, true
}

// ofDistribution draws how the rounds of the first metric are distributed, if that is
// a time.
func ofDistribution(s report.Section) (Plot, bool) {
	first, ok := timesOf(s)
	if !ok {
		return Plot{}, false
	}
	var names []string
	var values [][]float64
	for _, r := range first {
		names, values = append(names, r.Variant), append(values, r.Samples)
	}
	f, ok := distribution(names, values)
	if !ok {
		return Plot{}, false
	}
	f.title = s.Title
	f.plot.X.Label.Text = axisName(first[0], true)
	f.plot.Y.Label.Text = "rounds up to this"
	return Plot{
		Name:    s.Experiment + "-distribution",
		Caption: "distribution of " + first[0].Metric + " over the rounds",
		figure:  f,
	}, true
}

// ofLatencies draws how the latencies of single operations are distributed: in one
// plot, or in one for each group of variants where these are too many.
func ofLatencies(s report.Section) []Plot {
	var wanted []report.Result
	for _, r := range s.Results {
		if r.Latencies != nil {
			wanted = append(wanted, r)
		}
	}
	var out []Plot
	for _, g := range groupsOf(wanted, mostCurves) {
		var values [][]float64
		for _, r := range g.results {
			values = append(values, r.Latencies)
		}
		f, ok := distribution(g.labels, values)
		if !ok {
			continue
		}
		f.title = cmp.Or(g.name, s.Title)
		f.plot.X.Label.Text = "ns, logarithmic"
		f.plot.Y.Label.Text = "operations up to this"
		out = append(out, Plot{
			Name:    strings.TrimSuffix(s.Experiment+"-latency-"+fileName(g.name), "-"),
			Caption: "latencies of single operations, medians of the rounds",
			figure:  f,
		})
	}
	return out
}
