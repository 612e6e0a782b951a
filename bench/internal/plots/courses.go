package plots

import (
	"cmp"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"greenthread/bench/internal/measure"
	"greenthread/bench/internal/report"
)

// A course is how a figure of a variant changed during a sample.
type course struct {
	style  draw.LineStyle
	points []measure.Point
}

// Plot draws the points' connection.
func (cs course) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	path := make([]vg.Point, len(cs.points))
	for i, pt := range cs.points {
		path[i] = vg.Point{X: x(milliseconds(pt)), Y: y(pt.Value)}
	}
	c.StrokeLines(cs.style, path)
}

func milliseconds(p measure.Point) float64 { return p.At.Seconds() * 1000 }

// ofCourses draws the courses of a metric: a plot for each group of variants, with a
// curve for each of them.
func ofCourses(s report.Section, metric string, results []report.Result) []Plot {
	var wanted []report.Result
	for _, r := range results {
		if len(r.Course) > 0 {
			wanted = append(wanted, r)
		}
	}
	var out []Plot
	for _, g := range groupsOf(wanted, 1) { // such curves cross each other: no more than a group
		f := coursePlot(g)
		f.plot.Y.Label.Text = g.results[0].Unit
		f.title = cmp.Or(g.name, s.Title)
		out = append(out, Plot{
			Name:    strings.TrimSuffix(s.Experiment+"-"+fileName(metric)+"-course-"+fileName(g.name), "-"),
			Caption: metric + " in the course of a sample, medians of the rounds",
			Further: true,
			figure:  f,
		})
	}
	return out
}

// coursePlot draws the curves of a group over the time.
func coursePlot(g group) figure {
	p := newPlot()
	p.X.Label.Text = "ms"
	p.Add(grid{})
	f := figure{plot: p}
	end, most := 0.0, 0.0
	for i, r := range g.results {
		for _, pt := range r.Course {
			end, most = max(end, milliseconds(pt)), max(most, pt.Value)
		}
		p.Add(course{styleOf(i), r.Course})
		f.legend = append(f.legend, entry{g.labels[i], stroke(styleOf(i))})
	}
	linearAxis(&p.X, max(end, 1e-9))
	linearAxis(&p.Y, max(most, 1e-9)*1.1)
	return f
}
