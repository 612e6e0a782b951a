package exp

import (
	"context"

	"greenthread/bench/internal/measure"
)

// futexes asks what private futexes save, and what their fallback costs.
func futexes() measure.Experiment {
	rate := measure.Metric{
		Name: "rounds_per_s",
		Unit: "1/s",
		Value: func(r measure.Reading, _ int) float64 {
			return float64(r.Ops) / r.Elapsed.Seconds()
		},
	}
	return measure.Experiment{
		Name:    "futex",
		Title:   "two threads wake each other through a condition; one wakes five",
		Help:    page("futex"),
		Rounds:  15,
		Metrics: []measure.Metric{rate, measure.Further("broadcast_s", "s")},
		Variants: []measure.Variant{
			{Name: "kernel/private", Open: futexVariant("private"), Published: 4_600_000 / 2},
			{Name: "kernel/shared", Open: futexVariant("shared"), Published: 2_600_000 / 2},
			{Name: "kernel/fallback", Open: futexVariant("fallback")},
		},
		Ratios: []measure.Ratio{
			{Of: "kernel/private", To: "kernel/shared", Label: "private : shared, rounds", Published: 4_600_000.0 / 2_600_000},
			{Of: "kernel/private", To: "kernel/fallback", Label: "private : fallback, rounds"},
			{Of: "kernel/shared", To: "kernel/private", Label: "shared : private, broadcast", Metric: "broadcast_s", Published: 2.2 / 1.9},
			{Of: "kernel/fallback", To: "kernel/private", Label: "fallback : private, broadcast", Metric: "broadcast_s"},
		},
	}
}

func futexVariant(kind string) func(context.Context) (measure.Sampler, error) {
	return func(context.Context) (measure.Sampler, error) { return openFutex(kind) }
}
