package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"
)

// The table's columns: names to the left, figures to the right, at most 100
// characters in all. Lines of text are wrapped at the same width.
const (
	nameWidth   = 36
	figureWidth = 12
	lineWidth   = 100
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
		fmt.Fprintf(&b, "%-9s %s\n", key, clip(fmt.Sprintf(format, args...), lineWidth-10))
	}
	cpus := plural(e.CPUs, "CPU")
	line("cpu", "%s, %s usable", e.CPU, cpus)
	line("system", "%s %s, huge pages %s, memory %s", e.Kernel, e.Arch, e.THP, gib(e.Memory))
	line("go", "%s, GOMAXPROCS %d", e.Go, e.Procs)
	line("backend", "%s", e.Backend)
	line("c", "%s", e.CC)
	line("c++", "%s", e.CXX)
	line("method", "%s of %g ms per variant, interleaved; %s",
		plural(e.Rounds, "round"), e.SampleMS, e.Time.Format(time.DateTime+" -0700"))
	_, err := w.Write(b.Bytes())
	return err
}

// WriteTable writes the figures: a part per experiment, with its ratios below
// and a line per reason for which variants are missing.
func WriteTable(w io.Writer, d Document) error {
	var b bytes.Buffer
	fmt.Fprintln(&b)
	row(&b, "", "min", "median", "p99", "published")
	for _, s := range d.Sections {
		fmt.Fprintln(&b)
		section(&b, s)
	}
	if d.Interrupted() {
		fmt.Fprintf(&b, "\ninterrupted: the figures are of the rounds that were finished\n")
	}
	_, err := w.Write(b.Bytes())
	return err
}

func section(b *bytes.Buffer, s Section) {
	title := s.Experiment + ": " + s.Title
	several := false // metrics, so that a variant has several rows
	for _, r := range s.Results {
		several = several || r.Metric != s.Results[0].Metric
	}
	if len(s.Results) > 0 && !several {
		title += fmt.Sprintf(" (%s)", s.Results[0].Metric)
	}
	fmt.Fprintln(b, title)
	for i, r := range s.Results {
		name := "  " + r.Variant
		if several {
			if i == 0 || s.Results[i-1].Variant != r.Variant {
				fmt.Fprintln(b, name)
			}
			name = "    " + r.Metric
		}
		published := ""
		if r.Published != 0 {
			published = number(r.Published)
		}
		row(b, name, number(r.Min), number(r.Median), number(r.P99), published)
	}
	for _, n := range grouped(s.Notes) {
		wrap(b, "  "+n.names+": ", n.text)
	}
	if len(s.Results) == 0 && len(s.Notes) == 0 {
		fmt.Fprintln(b, "  nothing was measured")
	}
	if len(s.Ratios) == 0 {
		return
	}
	fmt.Fprintln(b, "  times as long, median of the rounds:")
	for _, r := range s.Ratios {
		published := ""
		if r.Published != nil {
			published = number(*r.Published)
		}
		row(b, "    "+r.Name, "", number(r.Value), "", published)
	}
}

// row writes a name and figures under the columns; it leaves no space at the
// end of the line.
func row(b *bytes.Buffer, name string, figures ...string) {
	line := fmt.Sprintf("%-*s", nameWidth, name)
	for _, f := range figures {
		line += fmt.Sprintf("%*s", figureWidth, f)
	}
	fmt.Fprintln(b, strings.TrimRight(line, " "))
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
