package report_test

import (
	"bytes"
	"testing"

	"greenthread/bench/internal/measure"
	"greenthread/bench/internal/report"
)

func TestSeveralMetricsHaveARowEach(t *testing.T) {
	series := func(name string, ops int) measure.Series {
		return measure.Series{
			Variant: measure.Variant{Name: name},
			Readings: []measure.Reading{{
				Ops:     ops,
				Elapsed: 1000,
				Further: map[string]float64{"maps": 7},
			}},
		}
	}
	section := report.Summarize(measure.Outcome{
		Experiment: measure.Experiment{
			Name:    "scale",
			Title:   "many",
			Metrics: []measure.Metric{measure.Further("maps", "maps"), measure.Nanoseconds("spawn_ns")},
			Ratios: []measure.Ratio{
				{Of: "one", To: "two", Label: "all equal"},
				{Of: "one", To: "two", Metric: "spawn_ns"},
			},
		},
		Series: []measure.Series{series("one", 10), series("two", 20)},
	})
	var b bytes.Buffer
	if err := report.WriteTable(&b, report.Document{Sections: []report.Section{section}}); err != nil {
		t.Fatal(err)
	}
	const want = `
                                             min      median       ±         p99   published

scale: many (1 round)
  one
    maps                                    7.00        7.00       -        7.00
    spawn_ns                                 100         100       -         100
  two
    maps                                    7.00        7.00       -        7.00
    spawn_ns                                50.0        50.0       -        50.0
  times as much, within the rounds:
    all equal                               1.00        1.00       -        1.00
    one : two                               2.00        2.00       -        2.00
`
	if got := b.String(); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}
