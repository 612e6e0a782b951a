package report

import (
	"bytes"
	"testing"

	"greenthread/bench/internal/measure"
)

func TestCountsHaveAColumnForEachMetric(t *testing.T) {
	result := func(variant, metric string, least, most float64) Result {
		return Result{Variant: variant, Metric: metric, Unit: "calls", Summary: measure.Summary{Min: least, Median: least, P99: most}}
	}
	d := Document{Sections: []Section{{
		Experiment: "create", Title: "calls", Counted: true,
		Results: []Result{
			result("a/fresh", "mmap_calls", 1, 1), result("a/fresh", "futex_calls", 0.125, 0.5), result("a/fresh", "clone_calls", 0, 0.04),
			result("b", "mmap_calls", 0, 0), // futex_calls is missing
			result("c", "mmap_calls", 12, 12), result("c", "futex_calls", 1.99, 2.01), result("c", "clone_calls", 0, 0),
		},
		Notes: []Note{{Variant: "d", Text: "not here"}},
	}}}
	var b bytes.Buffer
	if err := WriteTable(&b, d); err != nil {
		t.Fatal(err)
	}
	const want = `
create: calls
                         mmap       futex
  a/fresh                1.00  0.12 ±0.38
  b                         0           -
  c                      12.0        1.99
  none at all: clone
  d: left out, not here
`
	if got := b.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
