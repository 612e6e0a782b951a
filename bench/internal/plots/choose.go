package plots

import (
	"fmt"
	"strings"
	"time"

	"greenthread/bench/internal/report"
)

// A Plot is one drawing.
type Plot struct {
	Experiment string
	Name       string // of its file, without the ending: "create-ratios"
	Caption    string // what it shows
	Further    bool   // of a metric that is not the experiment's first one

	figure figure
}

// Of returns the plots of everything in d, in the order of its sections.
func Of(d report.Document) []Plot {
	var out []Plot
	for _, s := range d.Sections {
		for _, p := range ofSection(s) {
			p.Experiment = s.Experiment
			p.figure.title = s.Experiment + ": " + p.figure.title
			p.figure.subtitle = p.Caption + " · " + machine(d.Env)
			out = append(out, p)
		}
	}
	return out
}

// machine describes in a few words where, when and with what the figures were taken.
func machine(e report.Env) string {
	revision, changes, changed := strings.Cut(e.Build.Revision, "+")
	revision = revision[:min(len(revision), 12)]
	if changed {
		revision += "+" + changes
	}
	cpus := "1 CPU"
	if e.CPUs != 1 {
		cpus = fmt.Sprintf("%d CPUs", e.CPUs)
	}
	return strings.Join([]string{e.CPU, cpus, e.Go, revision, e.Time.Format(time.DateOnly)}, ", ")
}

func ofSection(s report.Section) []Plot {
	var out []Plot
	for i, m := range metrics(s.Results) {
		var results []report.Result
		for _, r := range s.Results {
			if r.Metric == m {
				results = append(results, r)
			}
		}
		p := ofMetric(s, m, results)
		p.Further = i > 0
		out = append(out, p)
		out = append(out, ofCourses(s, m, results)...)
	}
	if p, ok := ofRatios(s); ok {
		out = append(out, p)
	}
	if p, ok := ofDistribution(s); ok {
		out = append(out, p)
	}
	out = append(out, ofLatencies(s)...)
	return out
}

// metrics returns the names of the metrics in their order.
func metrics(results []report.Result) []string {
	var out []string
	seen := map[string]bool{}
	for _, r := range results {
		if !seen[r.Metric] {
			seen[r.Metric] = true
			out = append(out, r.Metric)
		}
	}
	return out
}

// timesOf returns the results of the first metric, if that is a time.
func timesOf(s report.Section) ([]report.Result, bool) {
	var out []report.Result
	for _, r := range s.Results {
		if r.Metric == s.Results[0].Metric {
			out = append(out, r)
		}
	}
	return out, len(out) > 0 && (out[0].Unit == "ns" || out[0].Unit == "ms" || out[0].Unit == "s")
}

func ofMetric(s report.Section, metric string, results []report.Result) Plot {
	p := Plot{Name: s.Experiment + "-" + fileName(metric), Caption: metric}
	better := "less is better"
	if results[0].HigherIsBetter {
		better = "more is better"
	}
	if lines := linesOf(results); lines != nil {
		p.figure = linePlot(lines)
		p.figure.plot.Y.Label.Text = metric
		p.Caption += " over the number, medians with their 95% intervals; " + better
		p.figure.title = s.Title
		return p
	}
	var list []bar
	used := map[string]bool{}
	for _, r := range results {
		f := familyOf(r.Variant)
		used[f.name] = true
		list = append(list, bar{r.Variant, f.colour, r.Summary, r.Published})
	}
	if len(used) == 1 { // nothing to tell apart by colours
		for i := range list {
			list[i].colour = slate
		}
	}
	lo, hi := reach(list)
	logarithmic := lo > 0 && hi/lo > 10
	p.figure = barPlot(list, 0, logarithmic, report.Number)
	var colours []entry
	for _, f := range families {
		if used[f.name] && len(used) > 1 {
			colours = append(colours, entry{f.name, swatch(f.colour)})
		}
	}
	p.figure.legend = append(colours, p.figure.legend...)
	p.figure.plot.X.Label.Text = axisName(results[0], logarithmic)
	p.figure.title = s.Title
	p.Caption += "; " + better
	return p
}

// ofRatios draws the ratios. One of 0 has no place on a logarithmic axis.
func ofRatios(s report.Section) (Plot, bool) {
	var list []bar
	for _, r := range s.Ratios {
		if r.Min > 0 {
			list = append(list, bar{r.Name, slate, r.Summary, r.Published})
		}
	}
	if len(list) == 0 {
		return Plot{}, false
	}
	f := barPlot(list, 1, true, func(x float64) string { return report.Number(x) + "×" })
	f.title = "ratios"
	f.plot.X.Label.Text = "times as much, logarithmic"
	return Plot{
		Name:    s.Experiment + "-ratios",
		Caption: "how many times as much the first takes as the second, within the rounds",
		figure:  f,
	}, true
}

// axisName is what an axis of this result measures.
func axisName(r report.Result, logarithmic bool) string {
	name := r.Metric
	if r.Unit != "" && !strings.Contains(r.Metric, r.Unit) {
		name += ", " + r.Unit
	}
	if logarithmic {
		name += ", logarithmic"
	}
	return name
}

// fileName makes a name fit for a file of any system.
func fileName(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '-'
	}, s)
}
