package report

import (
	"encoding/csv"
	"io"
	"math"
	"strconv"
	"strings"
)

// csvColumns are the columns of [WriteCSV].
var csvColumns = []string{
	"kind", "experiment", "name", "metric", "unit", "rounds", "min", "median", "p99", "ci_lo", "ci_hi", "published", "text",
}

// WriteCSV writes d as one table with a row for each fact. The column "kind" says
// what a row is:
//
//	env        name and text: something that the figures depend on
//	result     a metric of a variant (name)
//	ratio      between two variants, taken within the rounds
//	note       why a variant (name) is missing or has fewer rounds
//	disturbed  what may have spoiled the figures of the experiment
//
// A column that does not apply is empty, and so are the bounds of an interval for
// which there are too few rounds.
func WriteCSV(w io.Writer, d Document) error {
	c := csv.NewWriter(w)
	row := func(fields ...string) { _ = c.Write(fields) } // c keeps the error
	row(csvColumns...)
	for _, f := range Facts(d.Env) {
		row("env", "", f.Key, "", "", "", "", "", "", "", "", "", f.Value)
	}
	if d.Interrupted() {
		row("env", "", "interrupted", "", "", "", "", "", "", "", "", "", "true")
	}
	for _, s := range d.Sections {
		for _, list := range [][]Result{s.Results, s.Counts} {
			for _, r := range list {
				row("result", s.Experiment, r.Variant, r.Metric, r.Unit, strconv.Itoa(len(r.Samples)),
					exact(r.Min), exact(r.Median), exact(r.P99), exact(r.Lo), exact(r.Hi), published(r.Published), "")
			}
		}
		for _, r := range s.Ratios {
			row("ratio", s.Experiment, r.Name, "", "", strconv.Itoa(len(r.Samples)),
				exact(r.Min), exact(r.Median), exact(r.P99), exact(r.Lo), exact(r.Hi), published(r.Published), "")
		}
		for _, n := range s.Notes {
			row("note", s.Experiment, n.Variant, "", "", "", "", "", "", "", "", "", n.Text)
		}
		for _, text := range s.Disturbed {
			row("disturbed", s.Experiment, "", "", "", "", "", "", "", "", "", "", text)
		}
	}
	c.Flush()
	return c.Error()
}

// exact writes x with as many digits as it takes to read it back; nothing for
// infinity.
func exact(x float64) string {
	if math.IsInf(x, 0) {
		return ""
	}
	return strings.Replace(strconv.FormatFloat(x, 'g', -1, 64), "e+", "e", 1)
}

func published(x float64) string {
	if x == 0 {
		return ""
	}
	return exact(x)
}
