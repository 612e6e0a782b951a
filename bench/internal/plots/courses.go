package plots

import (
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

// ofCourses draws the courses of a metric: a plot for each group of variants that
// have the same name but for what follows the last slash, burst/keep and
// burst/decay, with a curve for each of them.
func ofCourses(s report.Section, metric string, results []report.Result) []Plot {
	var out []Plot
	names, groups := grouped(results, func(r report.Result) bool { return len(r.Course) > 0 })
	for _, name := range names {
		f := coursePlot(name, groups[name])
		f.plot.Y.Label.Text = groups[name][0].Unit
		f.title = name
		if name == "" {
			f.title = s.Title
		}
		out = append(out, Plot{
			Name:    strings.TrimSuffix(s.Experiment+"-"+fileName(metric)+"-course-"+fileName(name), "-"),
			Caption: metric + " in the course of a sample, medians of the rounds",
			Further: true,
			figure:  f,
		})
	}
	return out
}

// grouped puts the results that are wanted into groups of variants that have the same
// name but for what follows the last slash. It returns the groups' names in their
// order too.
func grouped(results []report.Result, wanted func(report.Result) bool) (names []string, groups map[string][]report.Result) {
	groups = map[string][]report.Result{}
	for _, r := range results {
		if !wanted(r) {
			continue
		}
		group := groupOf(r.Variant)
		if groups[group] == nil {
			names = append(names, group)
		}
		groups[group] = append(groups[group], r)
	}
	return names, groups
}

// coursePlot draws the curves of a group over the time.
func coursePlot(group string, results []report.Result) figure {
	p := newPlot()
	p.X.Label.Text = "ms"
	p.Add(grid{})
	f := figure{plot: p}
	end, most := 0.0, 0.0
	for i, r := range results {
		for _, pt := range r.Course {
			end, most = max(end, milliseconds(pt)), max(most, pt.Value)
		}
		p.Add(course{styleOf(i), r.Course})
		f.legend = append(f.legend, entry{strings.TrimPrefix(r.Variant, group+"/"), stroke(styleOf(i))})
	}
	linearAxis(&p.X, max(end, 1e-9))
	linearAxis(&p.Y, max(most, 1e-9)*1.1)
	return f
}
