package report

import (
	"bytes"
	"strings"
	"testing"

	"greenthread/bench/internal/measure"
)

func TestCountsHaveAColumnForEachMetric(t *testing.T) {
	result := func(variant, metric string, median float64) Result {
		return Result{Variant: variant, Metric: metric, Unit: "calls", Summary: measure.Summary{Median: median}}
	}
	d := Document{Sections: []Section{{
		Experiment: "create", Title: "calls", Counted: true,
		Results: []Result{
			result("a/fresh", "mmap_calls", 1), result("a/fresh", "futex_calls", 0.125),
			result("b", "mmap_calls", 0), // futex_calls is missing
			result("c", "mmap_calls", 12), result("c", "futex_calls", 2),
		},
		Notes: []Note{{Variant: "d", Text: "not here"}},
	}}}
	var b bytes.Buffer
	if err := WriteTable(&b, d); err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(b.String()) {
		got = append(got, strings.Join(strings.Fields(line), " "))
	}
	want := []string{"", "create: calls", "mmap futex", "a/fresh 1.00 0.12", "b 0.00", "c 12.00 2.00", "d: left out, not here"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s", &b)
	}
}
