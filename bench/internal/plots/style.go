package plots

import (
	"image/color"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Colours: the palette of Okabe and Ito, which colour-blind people can tell apart.
var (
	green  = color.RGBA{R: 0x00, G: 0x9e, B: 0x73, A: 0xff}
	blue   = color.RGBA{R: 0x00, G: 0x72, B: 0xb2, A: 0xff}
	orange = color.RGBA{R: 0xe6, G: 0x9f, B: 0x00, A: 0xff}
	black  = color.RGBA{R: 0x20, G: 0x20, B: 0x20, A: 0xff}
	gray   = color.RGBA{R: 0x66, G: 0x66, B: 0x66, A: 0xff}
	pale   = color.RGBA{R: 0xe4, G: 0xe4, B: 0xe4, A: 0xff}
	slate  = color.RGBA{R: 0x5b, G: 0x74, B: 0x8a, A: 0xff}
	white  = color.RGBA{R: 0xff, G: 0xff, B: 0xff, A: 0xff}

	lineColours = []color.Color{
		green, blue, orange, black,
		color.RGBA{R: 0xcc, G: 0x79, B: 0xa7, A: 0xff},
		color.RGBA{R: 0x56, G: 0xb4, B: 0xe9, A: 0xff},
		color.RGBA{R: 0xd5, G: 0x5e, B: 0x00, A: 0xff},
		gray,
	}
)

// A family is a group of variants of one colour.
type family struct {
	name   string
	colour color.Color
	heads  []string // what the names of its variants begin with, up to a slash or a dot
}

// families: who belongs to none of the first two is in the last one.
var families = []family{
	{"greenthread", green, []string{"green", "coroutine", "pull", "thread", "native", "do", "parker", "foreign"}},
	{"Go", blue, []string{"goroutine", "iter", "gosched", "channel", "chan", "sync", "locked"}},
	{"kernel threads, C and C++", orange, nil},
}

// familyOf finds the family of a variant.
func familyOf(variant string) family {
	head := variant
	if i := strings.IndexAny(variant, "/."); i >= 0 {
		head = variant[:i]
	}
	for _, f := range families {
		for _, h := range f.heads {
			if h == head {
				return f
			}
		}
	}
	return families[len(families)-1]
}

// style returns text of the size in points.
func style(size vg.Length, c color.Color, bold bool, x text.XAlignment) text.Style {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
	if bold {
		f.Weight = xfont.WeightBold
	}
	return text.Style{Color: c, Font: f, XAlign: x, YAlign: draw.YCenter, Handler: plot.DefaultTextHandler}
}

// newPlot returns a plot without data, with thin gray axes.
func newPlot() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.LineStyle = draw.LineStyle{Color: gray, Width: vg.Points(0.5)}
		a.Tick.LineStyle = a.LineStyle
		a.Tick.Length = vg.Points(4)
		x, y := a.Tick.Label.XAlign, a.Tick.Label.YAlign
		a.Tick.Label = style(9, black, false, x)
		a.Tick.Label.YAlign = y
		rotation, labelY := a.Label.TextStyle.Rotation, a.Label.TextStyle.YAlign
		a.Label.TextStyle = style(9, gray, false, draw.XCenter)
		a.Label.TextStyle.Rotation, a.Label.TextStyle.YAlign = rotation, labelY
		a.Label.Padding = vg.Points(4)
		a.Padding = 0
	}
	return p
}
