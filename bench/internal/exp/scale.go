package exp

import (
	"context"

	"greenthread/bench/internal/crowd"
	"greenthread/bench/internal/measure"
	green "greenthread/runtime"
)

// scale asks what many threads cost that are suspended all at once.
func scale() measure.Experiment {
	return measure.Experiment{
		Name:   "scale",
		Title:  "100,000 suspended threads at once",
		Help:   page("scale"),
		Rounds: 3,
		Metrics: []measure.Metric{
			measure.Further(crowd.ResidentBytes, "B"),
			measure.Further(crowd.Maps, "maps"),
			measure.Further(crowd.PageTableBytes, "B"),
			measure.Nanoseconds("spawn_ns"),
			measure.Further(crowd.CollectionMS, "ms"),
		},
		Variants: []measure.Variant{
			{Name: "green/100000", Open: scaleGreen, Ops: 100_000},
			{Name: "goroutine/100000", Open: scaleGoroutine, Ops: 100_000},
		},
		Ratios: []measure.Ratio{
			{Of: "green/100000", To: "goroutine/100000", Label: "green : goroutine, memory"},
			{Of: "green/100000", To: "goroutine/100000", Label: "green : goroutine, spawn", Metric: "spawn_ns"},
			{Of: "green/100000", To: "goroutine/100000", Label: "green : goroutine, collection", Metric: crowd.CollectionMS},
		},
	}
}

// scaleGreen makes coroutines that have yielded, in a process of their own.
func scaleGreen(context.Context) (measure.Sampler, error) {
	if b := green.Backend(); !b.Native {
		return nil, measure.Unavailablef("its threads are goroutines (%v)", b)
	}
	return crowd.Open("green")
}

// scaleGoroutine makes goroutines that wait for a channel, in a process of their
// own.
func scaleGoroutine(context.Context) (measure.Sampler, error) { return crowd.Open("goroutine") }
