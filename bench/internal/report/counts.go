package report

import (
	"bytes"
	"fmt"
	"math"

	"greenthread/bench/internal/measure"
)

// countColumns are the counts that the text shows, with their headings. The others
// are in the formats for programs.
var countColumns = []struct{ metric, heading string }{
	{"allocs_per_op", "allocs"},
	{"minor_faults_per_op", "minor faults"},
	{"voluntary_switches_per_op", "waits"},
	{"involuntary_switches_per_op", "preempted"},
}

// countWidth is the width of a column of counts.
const countWidth = 16

// countLimit is below what a count for each operation is not worth a line.
const countLimit = 0.005

// counts writes what the operations of a section took besides time: the median and
// the 99th percentile over the rounds, or one of them if they look the same. What
// took nothing has no line.
func counts(b *bytes.Buffer, s Section) {
	by := map[string]map[string]Result{} // by variant and metric
	var variants []string
	for _, r := range s.Counts {
		if by[r.Variant] == nil {
			by[r.Variant] = map[string]Result{}
			variants = append(variants, r.Variant)
		}
		by[r.Variant][r.Metric] = r
	}
	g := grid{title: "  besides, for each operation:", name: nameWidth, cell: countWidth}
	for _, c := range countColumns {
		g.heads = append(g.heads, c.heading)
	}
	for _, v := range variants {
		row, worth := []string{"    " + v}, false
		for _, c := range countColumns {
			r, ok := by[v][c.metric]
			worth = worth || ok && r.Median >= countLimit
			row = append(row, count(r, ok))
		}
		if worth {
			g.rows = append(g.rows, row)
		}
	}
	if len(g.rows) > 0 {
		g.write(b)
	}
}

// count writes one cell.
func count(r Result, ok bool) string {
	if !ok {
		return "-"
	}
	median, p99 := Count(r.Median), Count(r.P99)
	if median == p99 {
		return median
	}
	return median + " to " + p99
}

// callsLimit is how much of a call for each operation comes and goes with the time that
// a process takes, and is not worth mentioning.
const callsLimit = 0.05

// Calls writes how often something was called for each operation: the median, and how
// far the rounds reach from it, if that is not next to nothing: 1.00, or 0.31 ±0.17.
func Calls(s measure.Summary) string {
	text := "0"
	if s.Median >= callsLimit {
		text = Count(s.Median)
	}
	if reach := max(s.P99-s.Median, s.Median-s.Min); reach >= callsLimit {
		text += " ±" + Count(reach)
	}
	return text
}

// Count writes a count for an operation in five characters at most: as [Number] does, but
// 0 for what is not worth mentioning, and large ones in thousands, millions and so on:
// 0.012, 1.00, 12.3k, 4.00M, and 1e+30 in the end.
func Count(x float64) string {
	switch {
	case x < countLimit:
		return "0"
	case x < 0.0995:
		return fmt.Sprintf("%.3f", x)
	case x < 9995:
		return Number(x)
	}
	for i, unit := range "kMGTPE" {
		if y := x / math.Pow10(3*(i+1)); y < 999.5 {
			return Number(y) + string(unit)
		}
	}
	return fmt.Sprintf("%.0e", x)
}
