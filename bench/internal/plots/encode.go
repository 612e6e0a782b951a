package plots

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// dotsPerInch of the PNG files: twice what screens had once.
const dotsPerInch = 192

// SVG returns the plot as a picture of any size. Fonts are named, not embedded.
func (p Plot) SVG() ([]byte, error) {
	w, h := p.figure.size()
	c := vgsvg.New(w, h)
	p.figure.draw(draw.New(c))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, err
	}
	return fixWidths(b.Bytes()), nil
}

// svgText finds text, its style and its size, as vgsvg writes them.
var svgText = regexp.MustCompile(`(?s)<text ([^>]*style="font-family:)Liberation Sans;([^"]*font-size:([0-9.]+)px[^"]*")>([^<]*)</text>`)

// fixWidths names fonts to take where the first one is missing, and says how wide
// each text is, so that in a wider font too it covers nothing else.
func fixWidths(svg []byte) []byte {
	return svgText.ReplaceAllFunc(svg, func(text []byte) []byte {
		m := svgText.FindSubmatch(text)
		size, err := strconv.ParseFloat(string(m[3]), 64)
		if err != nil {
			return text
		}
		bold := bytes.Contains(m[2], []byte("font-weight:bold"))
		width := style(vg.Length(size), black, bold, draw.XLeft).Width(html.UnescapeString(string(m[4])))
		return fmt.Appendf(nil, `<text textLength="%.5g" lengthAdjust="spacingAndGlyphs" %s'Liberation Sans',Arial,Helvetica,sans-serif;%s>%s</text>`,
			float64(width), m[1], m[2], m[4])
	})
}

// PNG returns the plot as a picture of dots.
func (p Plot) PNG() ([]byte, error) {
	w, h := p.figure.size()
	c := vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(dotsPerInch))
	p.figure.draw(draw.New(c))
	var b bytes.Buffer
	_, err := vgimg.PngCanvas{Canvas: c}.WriteTo(&b)
	return b.Bytes(), err
}

// A Format is a way to encode plots, and the ending of the names of such files.
type Format struct {
	ending string
	encode func(Plot) ([]byte, error)
}

// The formats that there are.
var (
	SVG = Format{".svg", Plot.SVG}
	PNG = Format{".png", Plot.PNG}
)

// WriteFolder writes each plot into the folder, in each of the formats: NAME.svg,
// NAME.png. What it can write it does, whatever happens to the others.
func WriteFolder(dir string, plots []Plot, formats ...Format) error {
	var errs []error
	for _, p := range plots {
		for _, f := range formats {
			data, err := f.encode(p)
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, p.Name+f.ending), data, 0o666)
			}
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
