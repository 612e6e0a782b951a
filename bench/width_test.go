package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"greenthread/bench/internal/exp"
	"greenthread/bench/internal/host"
	"greenthread/bench/internal/measure"
	"greenthread/bench/internal/report"
)

// Whatever is on the menu, the table fits: here each figure is large, each ratio has
// its row, and each variant has counts and disturbances.
func TestTextOfEachExperimentFitsTheWidth(t *testing.T) {
	doc := report.Document{Env: report.Env{
		Time:    time.Now(),
		Machine: host.Describe(),
		Build:   host.DescribeBuild(),
		Backend: "portable: " + strings.Repeat("a long reason ", 20),
		CC:      strings.Repeat("x", 300),
	}}
	for _, e := range exp.Menu(nil) {
		out := measure.Outcome{Experiment: e, Stolen: 0.5, Others: 0.5}
		for _, v := range e.Variants {
			s := measure.Series{Variant: v, Note: "failed after 10 rounds: for some reason"}
			for i := range 10 {
				further := map[string]float64{}
				for _, m := range e.Metrics {
					further[m.Name] = float64(1+i) * 123456.789
				}
				s.Readings = append(s.Readings, measure.Reading{
					Ops: 1000, Elapsed: time.Duration(1+i) * 123456789 * time.Microsecond, Further: further,
					Usage: measure.Usage{Go: true, Allocations: uint64(i) * 12345678, Kernel: true, MinorFaults: 1234567, Voluntary: int64(i) * 1234567, Involuntary: int64(i)},
				})
			}
			out.Series = append(out.Series, s)
		}
		doc.Sections = append(doc.Sections, report.Summarize(out))
	}
	var b bytes.Buffer
	if err := report.WriteText(&b, doc); err != nil {
		t.Fatal(err)
	}
	if rows := strings.Count(b.String(), "\n"); rows < 500 {
		t.Errorf("there are %d lines only", rows)
	}
	for line := range strings.Lines(b.String()) {
		line = strings.TrimSuffix(line, "\n")
		if utf8.RuneCountInString(line) > 100 || strings.TrimRight(line, " ") != line {
			t.Errorf("wider than 100, or with space at its end: %q", line)
		}
	}
}
