package exp

import (
	"context"
	"fmt"
	"time"

	"greenthread/bench/internal/measure"
)

// evenness is the metric of how evenly threads took turns.
const evenness = "evenness_percent"

// yields asks what a switch costs when many threads take turns.
func yields() measure.Experiment {
	even := measure.Further(evenness, "%")
	even.HigherIsBetter = true
	e := measure.Experiment{
		Name:    "yield",
		Title:   "one switch among many threads of one carrier that yield in turn",
		Help:    page("yield"),
		Rounds:  15,
		Long:    40,
		Metrics: []measure.Metric{measure.Nanoseconds("ns_per_switch"), even},
	}
	sizes := []struct{ threads, laps int }{{2, 50_000}, {10, 10_000}, {1000, 100}, {100_000, 10}}
	for _, family := range []struct {
		name string
		open func(n int) (measure.Sampler, error)
	}{
		{"green", yieldGreen},
		{"gosched", yieldGosched},
	} {
		for _, s := range sizes {
			name := fmt.Sprintf("%s/%d", family.name, s.threads)
			e.Variants = append(e.Variants, measure.Variant{
				Name: name, Units: s.threads, Ops: s.laps, Takes: 200 * time.Millisecond,
				Open: apart("yield/"+name, nil, func(context.Context) (measure.Sampler, error) { return family.open(s.threads) }),
			})
		}
	}
	for _, s := range sizes {
		e.Ratios = append(e.Ratios, measure.Ratio{Of: fmt.Sprintf("gosched/%d", s.threads), To: fmt.Sprintf("green/%d", s.threads)})
	}
	return e
}
