package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"greenthread/bench/internal/measure"
	"greenthread/bench/internal/paragraph"
)

// The table's columns: names to the left, figures to the right, at most 100
// characters in all. Lines of text are wrapped at the same width.
const (
	nameWidth   = 36
	figureWidth = 12
	spreadWidth = 8
	lineWidth   = paragraph.Width
)

// WriteText writes d for people: the machine, then the table.
func WriteText(w io.Writer, d Document) error {
	if err := WriteHeader(w, d.Env); err != nil {
		return err
	}
	return WriteTable(w, d)
}

// WriteHeader writes the description of the machine, which is known before the
// first figure is.
func WriteHeader(w io.Writer, e Env) error {
	var b bytes.Buffer
	line := func(key, format string, args ...any) {
		b.WriteString(paragraph.Wrap(pad(key, -10), fmt.Sprintf(format, args...)))
	}
	line("cpu", "%s, %s usable (%s)", e.CPU, plural(e.CPUs, "CPU"), e.List)
	line("system", "%s %s, huge pages %s, memory %s", e.Kernel, e.Arch, e.THP, gib(e.Memory))
	line("go", "%s, GOMAXPROCS %d", e.Go, e.Procs)
	line("build", "%s %s, revision %s, %s", e.Build.Module, e.Build.Version, e.Build.Revision, e.Build.Flags)
	line("backend", "%s", e.Backend)
	line("c", "%s", e.CC)
	line("c++", "%s", e.CXX)
	line("method", "%s per variant, interleaved; %s", e.Rhythm(), e.Time.Format(time.DateTime+" -0700"))
	if e.SampleMS > 0 {
		line("±", "how far the %.0f%% interval of the median reaches; it takes %d rounds",
			100*e.Confidence, measure.LeastForInterval)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// WriteTable writes the figures: a part per experiment, with its ratios and counts
// below and a line per reason for which variants are missing.
func WriteTable(w io.Writer, d Document) error {
	var b bytes.Buffer
	if len(d.Sections) == 0 || slices.ContainsFunc(d.Sections, func(s Section) bool { return !s.Counted }) {
		fmt.Fprintln(&b)
		row(&b, "", "min", "median", "±", "p99", "published")
	}
	for _, s := range d.Sections {
		fmt.Fprintln(&b)
		section(&b, s, d.Env.Rounds)
	}
	if d.Interrupted() {
		fmt.Fprintf(&b, "\ninterrupted: the figures are of the rounds that were finished\n")
	}
	_, err := w.Write(b.Bytes())
	return err
}

// section writes an experiment; usual is how many rounds most have.
func section(b *bytes.Buffer, s Section, usual int) {
	title := s.Experiment + ": " + s.Title
	several := false // metrics, so that a variant has several rows
	for _, r := range s.Results {
		several = several || r.Metric != s.Results[0].Metric
	}
	var remarks []string
	if len(s.Results) > 0 && !several {
		remarks = append(remarks, s.Results[0].Metric)
	}
	if n := s.rounds(); n > 0 && n != usual {
		remarks = append(remarks, plural(n, "round"))
	}
	if len(remarks) > 0 {
		title += " (" + strings.Join(remarks, ", ") + ")"
	}
	b.WriteString(paragraph.Hang("", 4, title))
	if s.Counted {
		columns(b, s.Results)
	} else {
		rows(b, s.Results, several)
	}
	for _, n := range grouped(s.Notes) {
		b.WriteString(paragraph.Hang("  ", 4, n.names+": "+n.text))
	}
	if len(s.Results) == 0 && len(s.Notes) == 0 {
		fmt.Fprintln(b, "  nothing was measured")
	}
	if len(s.Ratios) > 0 {
		fmt.Fprintln(b, "  times as much, within the rounds:")
		for _, r := range s.Ratios {
			figures(b, "    "+r.Name, r.Summary, r.Published)
		}
	}
	counts(b, s)
	for _, text := range s.Disturbed {
		b.WriteString(paragraph.Hang("  ", 4, "disturbed: "+text))
	}
}

// rows writes a row for each figure, below the name of the variant if that has
// several.
func rows(b *bytes.Buffer, results []Result, several bool) {
	for i, r := range results {
		name := "  " + r.Variant
		if several {
			if i == 0 || results[i-1].Variant != r.Variant {
				fmt.Fprintln(b, name)
			}
			name = "    " + r.Metric
		}
		figures(b, name, r.Summary, r.Published)
	}
}

// columns writes a row for each variant, with its counts, see [Calls]. What no variant has
// at all has no column.
func columns(b *bytes.Buffer, results []Result) {
	var heads, variants []string
	cells := map[[2]string]string{}
	some := map[string]bool{}
	for _, r := range results {
		head := strings.TrimSuffix(r.Metric, "_"+r.Unit)
		if !slices.Contains(heads, head) {
			heads = append(heads, head)
		}
		if !slices.Contains(variants, r.Variant) {
			variants = append(variants, r.Variant)
		}
		cells[[2]string{r.Variant, head}] = Calls(r.Summary)
		some[head] = some[head] || Calls(r.Summary) != "0"
	}
	if len(variants) == 0 {
		return
	}
	none := slices.DeleteFunc(slices.Clone(heads), func(h string) bool { return some[h] })
	heads = slices.DeleteFunc(heads, func(h string) bool { return !some[h] })
	g := grid{name: 20, cell: 9, heads: heads}
	for _, v := range variants {
		row := []string{"  " + v}
		for _, h := range heads {
			row = append(row, cmp.Or(cells[[2]string{v, h}], "-"))
		}
		g.rows = append(g.rows, row)
	}
	g.write(b)
	if len(none) > 0 {
		b.WriteString(paragraph.Hang("  ", 4, "none at all: "+strings.Join(none, ", ")))
	}
}

// figures writes a row with a summary.
func figures(b *bytes.Buffer, name string, s measure.Summary, published float64) {
	other := ""
	if published != 0 {
		other = Number(published)
	}
	row(b, name, Number(s.Min), Number(s.Median), spread(s), Number(s.P99), other)
}

// spread writes how far the interval reaches, in percent of the median: 3%, or
// nothing where there is no interval.
func spread(s measure.Summary) string {
	half := 100 * s.HalfWidth()
	switch {
	case !s.Bounded() || math.IsInf(half, 0) || math.IsNaN(half):
		return "-"
	case half == 0:
		return "0%"
	case half < 0.95:
		return fmt.Sprintf("%.1f%%", max(half, 0.1))
	case half >= 999.5:
		return ">999%"
	}
	return fmt.Sprintf("%.0f%%", half)
}

// row writes a name and figures under the columns, the spread in the third of them. A
// name takes the room that the first figure leaves; where that is not enough, it has a
// line of its own. There is no space at the end of a line.
func row(b *bytes.Buffer, name string, figures ...string) {
	line, end := name, nameWidth
	if utf8.RuneCountInString(name+"  "+figures[0]) > nameWidth+figureWidth {
		b.WriteString(paragraph.Hang(indent(name), 6, name))
		line = ""
	}
	for i, f := range figures {
		if i == 2 {
			end += spreadWidth
		} else {
			end += figureWidth
		}
		line += pad(" "+f, end-utf8.RuneCountInString(line))
	}
	fmt.Fprintln(b, strings.TrimRight(line, " "))
}

// indent returns the space that text begins with.
func indent(text string) string {
	return text[:len(text)-len(strings.TrimLeft(text, " "))]
}

// A noteLine is a reason together with all variants that it holds for.
type noteLine struct{ names, text string }

// grouped puts variants with the same reason on one line.
func grouped(notes []Note) []noteLine {
	var out []noteLine
next:
	for _, n := range notes {
		if n.Partial {
			out = append(out, noteLine{n.Variant, n.Text})
			continue
		}
		for i := range out {
			if out[i].text == "left out, "+n.Text {
				out[i].names += ", " + n.Variant
				continue next
			}
		}
		out = append(out, noteLine{n.Variant, "left out, " + n.Text})
	}
	return out
}
