package plots

import (
	"math"
	"testing"

	"gonum.org/v1/plot"
	"pgregory.net/rapid"
)

// labels returns the labels of ticks, which must lie in the range and differ.
func labels(t *rapid.T, ticks []plot.Tick, lo, hi float64) []string {
	var out []string
	seen := map[string]bool{}
	for _, tick := range ticks {
		if tick.Value < lo*0.99 || tick.Value > hi*1.01 || seen[tick.Label] {
			t.Fatalf("from %v to %v: the tick %+v is out of range, or its label occurs twice", lo, hi, tick)
		}
		if tick.Label != "" {
			seen[tick.Label] = true
			out = append(out, tick.Label)
		}
	}
	return out
}

func TestTicksAreFewLabelledAndInRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := math.Pow(10, rapid.Float64Range(-6, 9).Draw(t, "lo"))
		lo, hi := span(lo, lo*math.Pow(10, rapid.Float64Range(0, 9).Draw(t, "decades")))
		for name, ticks := range map[string][]string{
			"logarithmic": labels(t, logTicks(lo, hi), lo, hi),
			"linear":      labels(t, linearTicks(0, hi), 0, hi),
		} {
			if len(ticks) < 2 && hi/lo > 1.5 || len(ticks) > 12 {
				t.Fatalf("%s from %v to %v: the labels are %v", name, lo, hi, ticks)
			}
		}
	})
}

func TestRoundNumbersAreShort(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 0.001: "0.001", 0.25: "0.25", 1: "1", 12.5: "12.5", 500: "500", 1000: "1,000", 20000: "20,000",
		1e5: "100k", 2.5e5: "250k", 1e6: "1M", 1.5e7: "15M", 1e9: "1G", 1e10: "10G",
	} {
		if got := round(v); got != want {
			t.Errorf("round(%v) = %s, want %s", v, got, want)
		}
	}
}
