package exp

import "greenthread/bench/internal/measure"

// launch asks what it costs to run a function on a thread that is kept warm,
// beside what else runs a function and waits for its end.
func launch() measure.Experiment {
	return measure.Experiment{
		Name:    "launch",
		Title:   "launch, run and exit on a warm thread",
		Help:    page("launch"),
		Short:   true,
		Metrics: []measure.Metric{measure.Nanoseconds("ns_per_op")},
		Variants: []measure.Variant{
			{Name: "green", Open: launchGreen},
			{Name: "goroutine", Open: createGoroutine},
			{Name: "clone/pooled", Open: createClonePooled},
		},
		Ratios: []measure.Ratio{
			{Of: "goroutine", To: "green", Label: "goroutine : green launch"},
			{Of: "clone/pooled", To: "green", Label: "clone/pooled : green launch"},
		},
	}
}
