package exp

import (
	"context"
	"time"

	"greenthread/bench/internal/measure"
)

// futexOps is how many rounds a sample has. They come in fast and in slow stretches, as the kernel puts the two threads on
// one CPU or on two, so a short sample would tell of one stretch only.
const futexOps = 10_000

// futexTakes is how long a sample takes, about.
const futexTakes = 400 * time.Millisecond

// futexes asks what private futexes save, and what their fallback costs.
func futexes() measure.Experiment {
	rate := measure.Metric{
		Name:           "rounds_per_s",
		Unit:           "1/s",
		HigherIsBetter: true,
		Value: func(r measure.Reading, _ int) float64 {
			return float64(r.Ops) / r.Elapsed.Seconds()
		},
	}
	return measure.Experiment{
		Name:    "futex",
		Title:   "two threads wake each other through a condition; one wakes five",
		Help:    page("futex"),
		Rounds:  9,
		Long:    25,
		Metrics: []measure.Metric{rate, measure.Further("broadcast_s", "s")},
		Variants: []measure.Variant{
			{Name: "kernel/private", Open: futexVariant("private"), Ops: futexOps, Takes: futexTakes, Published: 4_600_000 / 2},
			{Name: "kernel/shared", Open: futexVariant("shared"), Ops: futexOps, Takes: futexTakes, Published: 2_600_000 / 2},
			{Name: "kernel/fallback", Open: futexVariant("fallback"), Ops: futexOps, Takes: futexTakes},
			{Name: "green", Open: futexVariant("green"), Ops: futexOps, Takes: futexTakes},
			{Name: "kernel/private/1cpu", Open: futexOnOneCPU("private"), Ops: futexOps, Takes: futexTakes},
			{Name: "kernel/shared/1cpu", Open: futexOnOneCPU("shared"), Ops: futexOps, Takes: futexTakes},
			{Name: "kernel/fallback/1cpu", Open: futexOnOneCPU("fallback"), Ops: futexOps, Takes: futexTakes},
			{Name: "green/1cpu", Open: futexOnOneCPU("green"), Ops: futexOps, Takes: futexTakes},
		},
		Ratios: []measure.Ratio{
			{Of: "kernel/private", To: "kernel/shared", Label: "private : shared, rounds", Published: 4_600_000.0 / 2_600_000},
			{Of: "kernel/private", To: "kernel/fallback", Label: "private : fallback, rounds"},
			{Of: "green", To: "kernel/private", Label: "green : private, rounds"},
			{Of: "kernel/private/1cpu", To: "kernel/fallback/1cpu", Label: "private : fallback, rounds, 1 CPU"},
			{Of: "green/1cpu", To: "kernel/private/1cpu", Label: "green : private, rounds, 1 CPU"},
			{Of: "kernel/shared", To: "kernel/private", Label: "shared : private, broadcast", Metric: "broadcast_s", Published: 2.2 / 1.9},
			{Of: "kernel/fallback", To: "kernel/private", Label: "fallback : private, broadcast", Metric: "broadcast_s"},
			{Of: "kernel/private", To: "green", Label: "private : green, broadcast", Metric: "broadcast_s"},
		},
	}
}

func futexVariant(kind string) func(context.Context) (measure.Sampler, error) {
	return func(context.Context) (measure.Sampler, error) { return openFutex(kind) }
}

func futexOnOneCPU(kind string) func(context.Context) (measure.Sampler, error) {
	return func(context.Context) (measure.Sampler, error) {
		cpus, err := oneCPU()
		if err != nil {
			return nil, err
		}
		return openFutex(kind, cpus...)
	}
}
