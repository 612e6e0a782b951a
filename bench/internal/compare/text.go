package compare

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"greenthread/bench/internal/paragraph"
	"greenthread/bench/internal/report"
)

// Widths of the columns; together they are at most 100.
const (
	nameWidth   = 42
	figureWidth = 12
	deltaWidth  = 9
	pWidth      = 8
)

// WriteText writes c for people; a and b are the names of the results.
func WriteText(w io.Writer, c Comparison, a, b string) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "A %s\nB %s\n", a, b)
	for _, d := range c.Env {
		fmt.Fprintf(&out, "%s differs:\n%s%s", d.Key, paragraph.Wrap("  A ", d.A), paragraph.Wrap("  B ", d.B))
		if d.Key == "cpu" || d.Key == "cpus" {
			fmt.Fprintln(&out, "  These are different machines: compare ratios, not times.")
		}
	}
	for _, text := range c.Disturbed {
		out.WriteString(paragraph.Wrap("", text))
	}
	number := map[Verdict]int{}
	head := ""
	for _, ch := range c.Changes {
		if ch.Count && ch.Verdict != Changed && ch.Verdict != Doubtful {
			continue // the counts are of interest when something happens to them
		}
		number[ch.Verdict]++
		if title := titles[ch.Verdict]; title != head {
			head = title
			fmt.Fprintf(&out, "\n%s\n", head)
			line(&out, "", "A", "B", "change", "p", "")
		}
		line(&out, "  "+name(ch), report.Number(ch.A.Median), report.Number(ch.B.Median), delta(ch), p(ch.P), ch.Word())
	}
	only(&out, "A", c.OnlyA)
	only(&out, "B", c.OnlyB)
	fmt.Fprintf(&out, "\n%d changed, %d doubtful, %d noise, %d with too few rounds.\n",
		number[Changed], number[Doubtful], number[Noise], number[TooFewRounds])
	_, err := w.Write(out.Bytes())
	return err
}

var titles = map[Verdict]string{
	Changed:      "Changed:",
	Doubtful:     "Differs, but by less than 3%, or no more than the quarters of one run do:",
	Noise:        "Noise: such a difference is likely if nothing has changed:",
	TooFewRounds: "Too few rounds to tell:",
}

// name returns experiment, variant and metric, or the ratio.
func name(c Change) string {
	n := c.Experiment + "/" + c.Name
	if c.Metric == "" {
		n = c.Experiment + ": " + c.Name
	}
	return strings.TrimSpace(n + " " + c.Metric)
}

// line writes a row. A name that is too long gets a line of its own.
func line(b *bytes.Buffer, name, a, bb, delta, p, verdict string) {
	if utf8.RuneCountInString(name) > nameWidth {
		fmt.Fprintln(b, name)
		name = ""
	}
	row := fmt.Sprintf("%-*s%*s%*s%*s%*s  %s", nameWidth, name, figureWidth, a, figureWidth, bb, deltaWidth, delta, pWidth, p, verdict)
	fmt.Fprintln(b, strings.TrimRight(row, " "))
}

// delta writes a change in percent, or as a factor where that is easier to read.
func delta(c Change) string {
	d := c.Delta()
	switch {
	case math.IsInf(d, 0):
		return "from 0"
	case d >= 10:
		return fmt.Sprintf("×%.0f", d+1)
	case math.Abs(d) < 0.0005:
		return "0%"
	}
	return fmt.Sprintf("%+.1f%%", 100*d)
}

func p(x float64) string {
	if x < 0.001 {
		return "<0.001"
	}
	return fmt.Sprintf("%.3f", x)
}

// only lists figures that one result has alone.
func only(b *bytes.Buffer, which string, names []string) {
	if len(names) == 0 {
		return
	}
	fmt.Fprintf(b, "\nonly in %s\n", which)
	for _, n := range names {
		fmt.Fprintf(b, "  %s\n", n)
	}
}
