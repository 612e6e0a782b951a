package main

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"greenthread/bench/internal/exp"
	"greenthread/bench/internal/host"
	"greenthread/bench/internal/measure"
	"greenthread/bench/internal/report"
)

// Whatever is on the menu and whatever is measured, the table fits, and its columns do
// not run together.
func TestTextOfEachExperimentFitsTheWidthAtAnyValue(t *testing.T) {
	for _, e := range exp.Menu(nil) {
		t.Run(e.Name, rapid.MakeCheck(func(t *rapid.T) { fits(t, e) }))
		e.Counted = true
		for i := range e.Metrics {
			e.Metrics[i].Unit = "calls"
		}
		t.Run(e.Name+", counted", rapid.MakeCheck(func(t *rapid.T) { fits(t, e) }))
	}
}

func TestHeaderFitsTheWidthHoweverLongItsTextsAre(t *testing.T) {
	var b bytes.Buffer
	if err := report.WriteHeader(&b, report.Env{
		Time:    time.Now(),
		Machine: host.Describe(),
		Build:   host.DescribeBuild(),
		Backend: "portable: " + strings.Repeat("a long reason ", 20),
		CC:      strings.Repeat("x", 300),
	}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if utf8.RuneCountInString(line) > 101 {
			t.Errorf("wider than 100: %q", line)
		}
	}
}

func fits(t *rapid.T, e measure.Experiment) {
	section := report.Summarize(anyOutcome(t, e))
	var b bytes.Buffer
	if err := report.WriteTable(&b, report.Document{Sections: []report.Section{section}}); err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for line := range strings.Lines(b.String()) {
		line = strings.TrimSuffix(line, "\n")
		if utf8.RuneCountInString(line) > 100 || strings.TrimRight(line, " ") != line {
			t.Errorf("wider than 100, or with space at its end: %q", line)
		}
		rows = append(rows, strings.Fields(line))
	}
	shown := func(s measure.Summary) bool {
		figures := []string{report.Number(s.Min), report.Number(s.Median), report.Number(s.P99)}
		if e.Counted {
			figures = strings.Fields(report.Calls(s))
		}
		return slices.ContainsFunc(rows, func(fields []string) bool {
			for _, f := range figures {
				if !slices.Contains(fields, f) {
					return false
				}
			}
			return true
		})
	}
	for _, r := range section.Results {
		if !shown(r.Summary) && !(e.Counted && report.Calls(r.Summary) == "0") {
			t.Errorf("%s %s of %s cannot be read in\n%s", r.Variant, r.Metric, fmt.Sprint(r.Summary), &b)
		}
	}
	for _, r := range section.Ratios {
		if !e.Counted && !shown(r.Summary) {
			t.Errorf("%s of %s cannot be read in\n%s", r.Name, fmt.Sprint(r.Summary), &b)
		}
	}
}

// anyOutcome is an outcome with any figures: tiny, huge, below zero, all equal.
func anyOutcome(t *rapid.T, e measure.Experiment) measure.Outcome {
	figure := endless(t, "figures", rapid.OneOf(
		rapid.Float64Range(-1000, 1e6),
		rapid.Map(rapid.Float64Range(-300, 300), func(x float64) float64 { return math.Pow(10, x) }),
		rapid.Just(0.0),
	))
	count := endless(t, "counts", rapid.OneOf(rapid.Int64Range(0, 10), rapid.Int64Range(0, math.MaxInt64)))
	o := measure.Outcome{Experiment: e, Stolen: 0.5, Others: 0.5}
	rounds := rapid.SampledFrom([]int{1, 2, 7}).Draw(t, "rounds")
	for _, v := range e.Variants {
		s := measure.Series{Variant: v, Note: "failed after 10 rounds: for some reason"}
		for range rounds {
			r := measure.Reading{
				Ops:     1 + int(count()>>34),
				Elapsed: time.Duration(count()),
				Further: map[string]float64{},
				Usage: measure.Usage{
					Go: true, Allocations: uint64(count()),
					Kernel: true, MinorFaults: count(), Voluntary: count(), Involuntary: count(),
				},
			}
			for _, m := range e.Metrics {
				r.Further[m.Name] = figure()
			}
			r.Latencies = measure.Latencies([]time.Duration{1, time.Duration(count())})
			s.Readings = append(s.Readings, r)
		}
		o.Series = append(o.Series, s)
	}
	return o
}

// endless draws a few values and returns them over and over.
func endless[T any](t *rapid.T, label string, from *rapid.Generator[T]) func() T {
	values := rapid.SliceOfN(from, 11, 11).Draw(t, label)
	i := -1
	return func() T {
		i++
		return values[i%len(values)]
	}
}
