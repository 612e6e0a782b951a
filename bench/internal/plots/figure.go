package plots

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes in points. A row has one variant.
const (
	pageWidth   = 640
	rowHeight   = 19
	plotHeight  = 280 // of a plot that has no rows
	titleHeight = 22
	lineHeight  = 15
	margin      = 8
	lift        = 1.5 // by which text must be raised to look centred
	axisHeight  = 38
	gap         = 4 // between the legend and the plot
)

// A figure is everything on one plot: from top to bottom the title, a line on what
// is shown, the legend, and the plot with columns of text at its right.
type figure struct {
	title, subtitle string
	legend          []entry
	plot            *plot.Plot
	columns         []column
	rows            int // 0 if there are none
}

// An entry explains a colour or a mark.
type entry struct {
	name string
	draw func(c draw.Canvas, at vg.Point)
}

// A column has a cell for each row, from the top.
type column struct {
	head  string
	cells []string
}

// width returns what the widest cell takes, with some room at its left.
func (c column) width() vg.Length {
	s := style(9, black, false, draw.XRight)
	w := s.Width(c.head)
	for _, cell := range c.cells {
		w = max(w, s.Width(cell))
	}
	return w + 16
}

func (f figure) size() (w, h vg.Length) {
	h = 2*margin + titleHeight + lineHeight + gap + axisHeight
	h += vg.Length(f.legendLines() * lineHeight)
	if len(f.columns) > 0 {
		h += lineHeight
	}
	if f.rows == 0 {
		return pageWidth, h + plotHeight
	}
	return pageWidth, h + vg.Length(f.rows*rowHeight)
}

// draw draws all of it.
func (f figure) draw(c draw.Canvas) {
	c.SetColor(white)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, margin, -margin, margin, -margin)
	y := c.Max.Y - titleHeight/2
	c.FillText(style(13, black, true, draw.XLeft), vg.Point{X: c.Min.X, Y: y}, f.title)
	y -= titleHeight/2 + lineHeight/2
	small := style(9, gray, false, draw.XLeft)
	c.FillText(small, vg.Point{X: c.Min.X, Y: y}, clip(small, f.subtitle, c.Max.X-c.Min.X))
	y -= lineHeight / 2
	f.drawLegend(c, y)
	y -= vg.Length(f.legendLines() * lineHeight)

	body := c
	body.Max.Y = y - gap
	if len(f.columns) > 0 {
		body.Max.Y -= lineHeight
	}
	for _, col := range f.columns {
		body.Max.X -= col.width()
	}
	f.plot.Draw(body)
	f.drawColumns(c, body)
}

// clip shortens s to the width.
func clip(style draw.TextStyle, s string, width vg.Length) string {
	runes := []rune(s)
	for n := len(runes); style.Width(s) > width && n > 0; n-- {
		s = string(runes[:n]) + "…"
	}
	return s
}

// drawColumns writes the cells beside the rows, which are at the heights 0, 1, ...
// of the vertical axis, the first one at the top.
func (f figure) drawColumns(c, body draw.Canvas) {
	data := f.plot.DataCanvas(body)
	_, height := f.plot.Transforms(&data)
	x := body.Max.X
	for _, col := range f.columns {
		x += col.width()
		c.FillText(style(9, gray, false, draw.XRight), vg.Point{X: x, Y: body.Max.Y + lineHeight/2}, col.head)
		for row, cell := range col.cells {
			c.FillText(style(9, black, false, draw.XRight), vg.Point{X: x, Y: height(float64(f.rows-1-row)) + lift}, cell)
		}
	}
}

// legendEntry is the room for an entry of the legend, without its name.
const legendEntry = 34

// legendPlaces returns where the entries are, counted from the left end of the
// legend, and in which line.
func (f figure) legendPlaces() (x []vg.Length, line []int) {
	at, n := vg.Length(0), 0
	for _, e := range f.legend {
		w := style(9, black, false, draw.XLeft).Width(e.name) + legendEntry
		if at > 0 && at+w > pageWidth-2*margin {
			at, n = 0, n+1
		}
		x, line = append(x, at), append(line, n)
		at += w
	}
	return x, line
}

func (f figure) legendLines() int {
	if len(f.legend) == 0 {
		return 0
	}
	_, line := f.legendPlaces()
	return line[len(line)-1] + 1
}

func (f figure) drawLegend(c draw.Canvas, top vg.Length) {
	x, line := f.legendPlaces()
	for i, e := range f.legend {
		at := vg.Point{X: c.Min.X + x[i] + 9, Y: top - vg.Length(line[i]*lineHeight) - lineHeight/2}
		e.draw(c, at)
		at.X, at.Y = at.X+13, at.Y+lift
		c.FillText(style(9, black, false, draw.XLeft), at, e.name)
	}
}

// swatch is a legend's patch of colour.
func swatch(colour color.Color) func(draw.Canvas, vg.Point) {
	return func(c draw.Canvas, at vg.Point) {
		rectangle(c, colour, at.X-7, at.Y-4, at.X+7, at.Y+4)
	}
}

// stroke is a legend's piece of a line.
func stroke(s draw.LineStyle) func(draw.Canvas, vg.Point) {
	return func(c draw.Canvas, at vg.Point) {
		c.StrokeLine2(s, at.X-9, at.Y, at.X+9, at.Y)
	}
}

func rectangle(c draw.Canvas, colour color.Color, x0, y0, x1, y1 vg.Length) {
	c.FillPolygon(colour, []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}})
}

// diamond marks what others have published.
func diamond(c draw.Canvas, at vg.Point) {
	const r = 4.5
	p := []vg.Point{{X: at.X - r, Y: at.Y}, {X: at.X, Y: at.Y + r}, {X: at.X + r, Y: at.Y}, {X: at.X, Y: at.Y - r}}
	c.FillPolygon(white, p)
	c.StrokeLines(draw.LineStyle{Color: black, Width: 1.2}, append(p, p[0]))
}

// whisker marks an interval.
func whisker(c draw.Canvas, lo, hi, y vg.Length) {
	s := draw.LineStyle{Color: black, Width: 1}
	c.StrokeLine2(s, lo, y, hi, y)
	c.StrokeLine2(s, lo, y-3, lo, y+3)
	c.StrokeLine2(s, hi, y-3, hi, y+3)
}
