package plots

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"greenthread/bench/internal/measure"
	"greenthread/bench/internal/report"
)

// A point is the figure for one number.
type point struct {
	x      float64
	figure measure.Summary
}

// A line is a series of points, or a curve.
type line struct {
	name   string
	style  draw.LineStyle
	points []point
	shift  vg.Length // to the right, so that intervals at the same number can be told apart
}

// styleOf returns the style of the i-th line: colours first, then dashes.
func styleOf(i int) draw.LineStyle {
	s := draw.LineStyle{Color: lineColours[i%len(lineColours)], Width: 1.6}
	if i >= len(lineColours) {
		s.Dashes = []vg.Length{5, 3}
	}
	return s
}

// numbered splits a variant that ends in a number, green/100000.
func numbered(variant string) (kind string, n float64, ok bool) {
	i := strings.LastIndexByte(variant, '/')
	if i < 1 {
		return "", 0, false
	}
	v, err := strconv.ParseUint(variant[i+1:], 10, 63)
	return variant[:i], float64(v), err == nil && v > 0
}

// linesOf returns a line for each kind of variant, if all variants of the results
// are numbered and at least one kind has several numbers.
func linesOf(results []report.Result) []line {
	var lines []line
	several := false
	for _, r := range results {
		kind, n, ok := numbered(r.Variant)
		if !ok {
			return nil
		}
		i := slices.IndexFunc(lines, func(l line) bool { return l.name == kind })
		if i < 0 {
			i = len(lines)
			lines = append(lines, line{name: kind, style: styleOf(i)})
		}
		lines[i].points = append(lines[i].points, point{n, r.Summary})
		several = several || len(lines[i].points) > 1
	}
	if !several {
		return nil
	}
	for _, l := range lines {
		slices.SortFunc(l.points, func(a, b point) int { return int(math.Copysign(1, a.x-b.x)) })
	}
	return lines
}

// Plot draws the points with their intervals, and the lines between them.
func (l line) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	var path []vg.Point
	for _, pt := range l.points {
		at := vg.Point{X: x(pt.x) + l.shift, Y: y(pt.figure.Median)}
		path = append(path, at)
		if pt.figure.Bounded() {
			lo, hi := max(pt.figure.Lo, p.Y.Min), min(pt.figure.Hi, p.Y.Max)
			c.StrokeLine2(draw.LineStyle{Color: l.style.Color, Width: 1}, at.X, y(lo), at.X, y(hi))
		}
	}
	c.StrokeLines(l.style, path)
	for _, at := range path {
		c.DrawGlyph(draw.GlyphStyle{Color: l.style.Color, Radius: 3, Shape: draw.CircleGlyph{}}, at)
	}
}

// grid draws faint lines at the marks of both axes.
type grid struct{}

// Plot draws the grid.
func (grid) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	s := draw.LineStyle{Color: pale, Width: 0.5}
	for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		c.StrokeLine2(s, x(t.Value), c.Min.Y, x(t.Value), c.Max.Y)
	}
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		c.StrokeLine2(s, c.Min.X, y(t.Value), c.Max.X, y(t.Value))
	}
}

// linePlot draws the lines over the number on a logarithmic axis.
func linePlot(lines []line) figure {
	p := newPlot()
	p.X.Label.Text = "number"
	p.Add(grid{})
	xlo, xhi, ylo, yhi := math.Inf(1), 0.0, math.Inf(1), 0.0
	f := figure{plot: p}
	for i, l := range lines {
		l.shift = vg.Length(2*i - len(lines) + 1)
		for _, pt := range l.points {
			xlo, xhi = min(xlo, pt.x), max(xhi, pt.x)
			ylo, yhi = min(ylo, pt.figure.Median), max(yhi, pt.figure.Median)
			if pt.figure.Bounded() {
				ylo, yhi = min(ylo, pt.figure.Lo), max(yhi, pt.figure.Hi)
			}
		}
		p.Add(l)
		f.legend = append(f.legend, entry{l.name, stroke(l.style)})
	}
	xlo, xhi = span(xlo, xhi)
	logAxis(&p.X, xlo, xhi)
	if ylo > 0 && yhi/ylo > 10 {
		ylo, yhi = span(ylo, yhi)
		logAxis(&p.Y, ylo, yhi)
	} else {
		linearAxis(&p.Y, max(yhi, 1e-9)*1.1)
	}
	return f
}
