package page

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"time"

	"greenthread/bench/internal/measure"
	"greenthread/bench/internal/plots"
	"greenthread/bench/internal/report"
)

//go:embed page.html
var source string

var page = template.Must(template.New("page").Parse(source))

// Write writes the page of d.
func Write(w io.Writer, d report.Document) error {
	v := view{
		Title: fmt.Sprintf("greenthread bench on %s, %s", d.Env.CPU, d.Env.Time.Format(time.DateOnly)),
		Intro: fmt.Sprintf("%s for each variant, or fewer where one takes long, interleaved; ratios are taken within a round. "+
			"Intervals are those of the median at %g%%: of this run, nothing assumed about the distribution.",
			d.Env.Rhythm(), 100*d.Env.Confidence),
		Facts:       report.Facts(d.Env),
		Interrupted: d.Interrupted(),
	}
	drawn := plots.Of(d)
	for _, s := range d.Sections {
		part, err := partOf(s, drawn)
		if err != nil {
			return err
		}
		v.Parts = append(v.Parts, part)
	}
	var b bytes.Buffer // so that a failure leaves no half of a page
	if err := page.Execute(&b, v); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// A view is what the page shows.
type view struct {
	Title, Intro string
	Facts        []report.Fact
	Interrupted  bool
	Parts        []part
}

// A part is the view of an experiment.
type part struct {
	Name, Title, Question, Help string
	Plots, Further              []drawing
	Tables                      []table
	Notes, Disturbed            []string
}

// A drawing is a plot, ready to stand in the page.
type drawing struct {
	Name    string
	Caption string
	SVG     template.HTML
}

func partOf(s report.Section, drawn []plots.Plot) (part, error) {
	p := part{
		Name:      s.Experiment,
		Title:     s.Title,
		Question:  question(s.Help),
		Help:      s.Help,
		Tables:    tablesOf(s),
		Disturbed: s.Disturbed,
	}
	for _, n := range s.Notes {
		text := n.Variant + ": " + n.Text
		if !n.Partial {
			text = n.Variant + ": left out, " + n.Text
		}
		p.Notes = append(p.Notes, text)
	}
	for _, d := range drawn {
		if d.Experiment != s.Experiment {
			continue
		}
		svg, err := inline(d)
		if err != nil {
			return p, err
		}
		if d.Further {
			p.Further = append(p.Further, svg)
		} else {
			p.Plots = append(p.Plots, svg)
		}
	}
	return p, nil
}

// inline returns the plot without what only files need, and with a name for those
// who cannot see it.
func inline(p plots.Plot) (drawing, error) {
	svg, err := p.SVG()
	if err != nil {
		return drawing{}, err
	}
	start := bytes.Index(svg, []byte("<svg "))
	if start < 0 {
		return drawing{}, fmt.Errorf("the plot %s is no SVG", p.Name)
	}
	label := template.HTMLEscapeString(p.Experiment + ": " + p.Caption)
	return drawing{p.Name, p.Caption, template.HTML(`<svg role="img" aria-label="` + label + `" ` + string(svg[start+len("<svg "):]))}, nil
}

// question returns the part of a page of help that says what is asked.
func question(help string) string {
	_, rest, _ := strings.Cut(help, "\nQUESTION\n")
	q, _, _ := strings.Cut(rest, "\n\n")
	return strings.Join(strings.Fields(q), " ")
}

// longTable is how many rows make a table too long to be shown at once.
const longTable = 40

// Long reports whether the table is shown only when asked for.
func (t table) Long() bool { return len(t.Rows) > longTable }

// A table has names in its first columns and figures in the others.
type table struct {
	Title string
	Names int // how many columns have names
	Head  []string
	Rows  [][]string
}

func tablesOf(s report.Section) []table {
	var out []table
	several := slices.ContainsFunc(s.Results, func(r report.Result) bool { return r.Metric != s.Results[0].Metric })
	figures := table{Title: "Figures", Names: 1, Head: []string{"variant"}}
	switch {
	case several:
		figures.Names, figures.Head = 2, []string{"variant", "metric"}
	case len(s.Results) > 0:
		figures.Title += ", " + s.Results[0].Metric
	}
	figures.Head = append(figures.Head, summaryHead...)
	for i, r := range s.Results {
		names := []string{r.Variant}
		if several {
			names = append(names, r.Metric)
			if i > 0 && s.Results[i-1].Variant == r.Variant {
				names[0] = ""
			}
		}
		figures.Rows = append(figures.Rows, append(names, summaryCells(r.Summary, r.Published, len(r.Samples))...))
	}
	ratios := table{Title: "Ratios within the rounds", Names: 1, Head: append([]string{"how many times as much"}, summaryHead...)}
	for _, r := range s.Ratios {
		ratios.Rows = append(ratios.Rows, append([]string{r.Name}, summaryCells(r.Summary, r.Published, len(r.Samples))...))
	}
	for _, t := range []table{figures, ratios, countsOf(s)} {
		if len(t.Rows) > 0 {
			out = append(out, t)
		}
	}
	return out
}

// countsOf makes a table of what the operations took besides time, a row for each
// variant: the median and the 99th percentile.
func countsOf(s report.Section) table {
	t := table{Title: "Besides, median / p99 over the rounds", Names: 1, Head: []string{"variant"}}
	cells := map[[2]string]string{}
	var variants, metrics []string
	for _, r := range s.Counts {
		if !slices.Contains(metrics, r.Metric) {
			metrics = append(metrics, r.Metric)
			t.Head = append(t.Head, strings.ReplaceAll(r.Metric, "_", " ")) // breaks into lines
		}
		if !slices.Contains(variants, r.Variant) {
			variants = append(variants, r.Variant)
		}
		cell := report.Count(r.Median)
		if p99 := report.Count(r.P99); p99 != cell {
			cell += " / " + p99
		}
		cells[[2]string{r.Variant, r.Metric}] = cell
	}
	for _, v := range variants {
		row := []string{v}
		for _, m := range metrics {
			row = append(row, cells[[2]string{v, m}])
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// summaryHead names the columns that summaryCells fills.
var summaryHead = []string{"min", "median", "interval", "p99", "published", "rounds"}

func summaryCells(s measure.Summary, published float64, rounds int) []string {
	interval, other := "too few rounds", ""
	if s.Bounded() {
		interval = report.Number(s.Lo) + " – " + report.Number(s.Hi)
	}
	if published != 0 {
		other = report.Number(published)
	}
	return []string{report.Number(s.Min), report.Number(s.Median), interval, report.Number(s.P99), other, fmt.Sprint(rounds)}
}
