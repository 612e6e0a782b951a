package plots

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"greenthread/bench/internal/measure"
)

// A bar is a row of a bar plot.
type bar struct {
	name      string
	colour    color.Color
	figure    measure.Summary
	published float64 // 0 if none
}

// bars plots rows of bars that begin at base.
type bars struct {
	list []bar
	base float64
}

// Plot draws the bars, the first one at the top.
func (b bars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		c.StrokeLine2(draw.LineStyle{Color: pale, Width: 0.5}, x(t.Value), c.Min.Y, x(t.Value), c.Max.Y)
	}
	grouped := b.grouped()
	for i, bar := range b.list {
		at := y(float64(len(b.list) - 1 - i))
		if grouped && b.begins(i) {
			c.StrokeLine2(draw.LineStyle{Color: gray, Width: 0.5}, c.Min.X, at+rowHeight/2, c.Max.X, at+rowHeight/2)
		}
		rectangle(c, bar.colour, x(b.base), at-6, x(clamp(bar.figure.Median, p)), at+6)
		if s := bar.figure; s.Bounded() {
			whisker(c, x(clamp(s.Lo, p)), x(clamp(s.Hi, p)), at)
		}
		if bar.published != 0 {
			diamond(c, vg.Point{X: x(bar.published), Y: at})
		}
	}
	c.StrokeLine2(draw.LineStyle{Color: gray, Width: 0.8}, x(b.base), c.Min.Y, x(b.base), c.Max.Y)
}

// begins reports whether bar i begins another group than the bar above it belongs to.
func (b bars) begins(i int) bool {
	return i > 0 && groupOf(b.list[i].name) != groupOf(b.list[i-1].name)
}

// grouped reports whether lines between the groups help: where there are many bars,
// and three or more in a group.
func (b bars) grouped() bool {
	groups := 1
	for i := range b.list {
		if b.begins(i) {
			groups++
		}
	}
	return len(b.list) > 12 && len(b.list) >= 3*groups
}

func clamp(v float64, p *plot.Plot) float64 { return max(p.X.Min, min(p.X.Max, v)) }

// reach returns the least and the greatest value that is drawn.
func reach(list []bar) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, b := range list {
		values := []float64{b.figure.Median}
		if b.figure.Bounded() {
			values = append(values, b.figure.Lo, b.figure.Hi)
		}
		if b.published != 0 {
			values = append(values, b.published)
		}
		for _, v := range values {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	return lo, hi
}

// barPlot puts bars and their figures on a figure. times writes a value.
func barPlot(list []bar, base float64, logarithmic bool, write func(float64) string) figure {
	p := newPlot()
	lo, hi := reach(list)
	switch {
	case logarithmic:
		if base > 0 {
			lo, hi = min(lo, base), max(hi, base)
		}
		lo, hi = span(lo, hi)
		if base == 0 {
			base = lo
		}
		logAxis(&p.X, lo, hi)
	default:
		if hi <= 0 {
			hi = 1
		}
		linearAxis(&p.X, hi*1.05)
	}
	p.Add(bars{list, base})

	var names []plot.Tick
	medians, spreads, published := column{head: "median"}, column{head: "95% interval"}, column{head: "published"}
	anyPublished, anyInterval := false, slices.ContainsFunc(list, func(b bar) bool { return b.figure.Bounded() })
	if !anyInterval {
		spreads.head = "range of the rounds"
	}
	for i, b := range list {
		names = append(names, plot.Tick{Value: float64(len(list) - 1 - i), Label: b.name})
		medians.cells = append(medians.cells, write(b.figure.Median))
		interval := write(b.figure.Min) + " – " + write(b.figure.P99) // of so few the greatest
		switch {
		case b.figure.Bounded():
			interval = write(b.figure.Lo) + " – " + write(b.figure.Hi)
		case anyInterval:
			interval = "all " + interval
		}
		spreads.cells = append(spreads.cells, interval)
		other := ""
		if b.published != 0 {
			other, anyPublished = write(b.published), true
		}
		published.cells = append(published.cells, other)
	}
	p.Y.Min, p.Y.Max = -0.6, float64(len(list))-0.4
	p.Y.Tick.Marker = plot.ConstantTicks(names)
	p.Y.Tick.Length = 0
	f := figure{plot: p, rows: len(list), columns: []column{medians, spreads}}
	if anyPublished {
		f.columns = append(f.columns, published)
		f.legend = append(f.legend, entry{"published by others", diamond})
	}
	if anyInterval {
		f.legend = append(f.legend, entry{"95% interval of the median", func(c draw.Canvas, at vg.Point) {
			whisker(c, at.X-7, at.X+7, at.Y)
		}})
	}
	return f
}
