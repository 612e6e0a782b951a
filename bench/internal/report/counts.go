package report

import (
	"bytes"
	"fmt"
	"strings"
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
	headed := false
	for _, v := range variants {
		line, worth := pad("    "+v, -nameWidth), false
		for _, c := range countColumns {
			r, ok := by[v][c.metric]
			worth = worth || ok && r.Median >= countLimit
			line += pad(count(r, ok), countWidth)
		}
		if !worth {
			continue
		}
		if !headed {
			headed = true
			head := pad("  besides, for each operation:", -nameWidth)
			for _, c := range countColumns {
				head += pad(c.heading, countWidth)
			}
			fmt.Fprintln(b, head)
		}
		fmt.Fprintln(b, strings.TrimRight(line, " "))
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

// Count writes a count for an operation as [Number] does, but 0 for what is not worth
// mentioning, and large ones in thousands, millions and so on: 12.3k, 4.00M.
func Count(x float64) string {
	if x < countLimit {
		return "0"
	}
	for _, u := range []struct {
		size float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if x >= 9.995*u.size || x >= 0.9995*u.size && u.size > 1e3 {
			return Number(x/u.size) + u.name
		}
	}
	return Number(x)
}
