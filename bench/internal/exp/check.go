package exp

import (
	"context"

	"greenthread/bench/internal/measure"
)

// check asks whether the instrument can be believed here: two variants are the same,
// and of two others it is known how much more they do.
func check() measure.Experiment {
	variant := func(name string, steps int) measure.Variant {
		return measure.Variant{Name: name, Open: func(context.Context) (measure.Sampler, error) {
			return measure.Loop(func(n int) error {
				for range n {
					spin(steps)
				}
				return nil
			}, nil), nil
		}}
	}
	const steps = 2000
	return measure.Experiment{
		Name:    "check",
		Title:   "the same work, and known amounts more of it",
		Help:    page("check"),
		Metrics: []measure.Metric{measure.Nanoseconds("ns_per_op")},
		Variants: []measure.Variant{
			variant("once", steps),
			variant("again", steps),
			variant("5%more", steps+steps/20),
			variant("double", 2*steps),
		},
		Ratios: []measure.Ratio{
			{Of: "again", To: "once", Published: 1},
			{Of: "5%more", To: "once", Published: 1.05},
			{Of: "double", To: "once", Published: 2},
		},
	}
}

// spun keeps the compiler from leaving out what spin computes.
var spun uint64

// spin takes so many steps, each of which needs the one before.
//
//go:noinline
func spin(steps int) {
	x := spun | 1
	for range steps {
		x = x*6364136223846793005 + 1442695040888963407
	}
	spun = x
}
