package plots

import (
	"math"
	"slices"

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

// distribution draws a curve for each result; it reports false where there is
// nothing to draw.
func distribution(results []report.Result) (figure, bool) {
	if len(results) > mostCurves {
		return figure{}, false
	}
	p := newPlot()
	p.Add(grid{})
	f := figure{plot: p}
	lo, hi := math.Inf(1), 0.0
	for i, r := range results {
		if len(r.Samples) < leastPoints || r.Min <= 0 {
			continue
		}
		sorted := slices.Clone(r.Samples)
		slices.Sort(sorted)
		lo, hi = min(lo, sorted[0]), max(hi, sorted[len(sorted)-1])
		p.Add(curve{styleOf(i), sorted})
		f.legend = append(f.legend, entry{r.Variant, stroke(styleOf(i))})
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
	p.Y.Label.Text = "rounds up to this"
	return f, true
}
