package exp

import "greenthread/bench/internal/measure"

// launch asks what it costs to start a function on a thread that is kept warm,
// without getting and returning the thread.
func launch() measure.Experiment {
	return measure.Experiment{
		Name:    "launch",
		Title:   "launch, run and exit on a warm thread",
		Help:    page("launch"),
		Metrics: []measure.Metric{measure.Nanoseconds("ns_per_op")},
		Variants: []measure.Variant{
			{Name: "green", Open: launchGreen},
			{Name: "goroutine", Open: createGoroutine},
			{Name: "clone/pooled", Open: createClonePooled},
		},
		Ratios: []measure.Ratio{
			{Of: "goroutine", To: "green"},
			{Of: "clone/pooled", To: "green"},
		},
	}
}
