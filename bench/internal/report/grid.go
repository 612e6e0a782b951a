package report

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// A grid is a table of short texts, with names to the left. Its columns have at least
// the widths given, and as much more as they need; what does not fit into a line is in a
// further block below, with the names once more.
type grid struct {
	title      string // above the names
	name, cell int    // widths
	heads      []string
	rows       [][]string // the name, and a cell for each head
}

// gap is what is left free between two columns.
const gap = 2

func (g grid) write(b *bytes.Buffer) {
	names := max(g.name, utf8.RuneCountInString(g.title))
	widths := make([]int, len(g.heads))
	for i, h := range g.heads {
		widths[i] = max(g.cell, gap+utf8.RuneCountInString(h))
	}
	for _, row := range g.rows {
		names = max(names, utf8.RuneCountInString(row[0]))
		for i, cell := range row[1:] {
			widths[i] = max(widths[i], gap+utf8.RuneCountInString(cell))
		}
	}
	for from := 0; from == 0 || from < len(widths); {
		to, width := from, names
		for to < len(widths) && (to == from || width+widths[to] <= lineWidth) {
			width += widths[to]
			to++
		}
		line := func(name string, cells []string) {
			text := pad(name, -names)
			for i, cell := range cells[from:to] {
				text += pad(cell, widths[from+i])
			}
			fmt.Fprintln(b, strings.TrimRight(text, " "))
		}
		line(g.title, g.heads)
		for _, row := range g.rows {
			line(row[0], row[1:])
		}
		if from = to; to == 0 {
			break // there are only names
		}
	}
}
