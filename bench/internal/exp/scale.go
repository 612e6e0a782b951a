package exp

import (
	"context"
	"fmt"
	"time"

	"greenthread/bench/internal/crowd"
	"greenthread/bench/internal/measure"
	green "greenthread/runtime"
)

// crowds are how many threads there are at once; the last one has to be asked for.
var crowds = []int{1000, 10_000, 100_000, million}

const million = 1_000_000

// scale asks what many threads cost that are suspended all at once.
func scale() measure.Experiment {
	e := measure.Experiment{
		Name:   "scale",
		Title:  "1,000 to 1,000,000 suspended threads at once",
		Help:   page("scale"),
		Rounds: 3,
		Long:   7,
		Metrics: []measure.Metric{
			measure.Further(crowd.ResidentBytes, "B"),
			measure.Further(crowd.Maps, "maps"),
			measure.Further(crowd.PageTableBytes, "B"),
			measure.Nanoseconds("spawn_ns"),
			measure.Further(crowd.CollectionMS, "ms"),
			measure.Further(crowd.IdlePercent, "%"),
		},
	}
	for _, kind := range []string{"green", "goroutine", "coroutine"} {
		for _, n := range crowds {
			e.Variants = append(e.Variants, measure.Variant{
				Name: fmt.Sprintf("%s/%d", kind, n), Open: openCrowd(kind, n), Ops: n, Explicit: n == million,
				Takes: time.Duration(n) * 20 * time.Microsecond,
			})
		}
	}
	for _, n := range crowds[2:] {
		for _, metric := range []struct{ label, name string }{
			{"memory", crowd.ResidentBytes}, {"spawn", "spawn_ns"}, {"collection", crowd.CollectionMS},
		} {
			e.Ratios = append(e.Ratios, measure.Ratio{
				Of: fmt.Sprintf("green/%d", n), To: fmt.Sprintf("goroutine/%d", n),
				Label: fmt.Sprintf("green : goroutine, %s of %d", metric.label, n), Metric: metric.name,
			})
		}
	}
	return e
}

// openCrowd returns what opens a crowd, in a process of its own: of green threads that
// park, of coroutines that have yielded, or of goroutines that wait for a channel.
func openCrowd(kind string, n int) func(context.Context) (measure.Sampler, error) {
	return func(context.Context) (measure.Sampler, error) {
		if b := green.Backend(); kind != "goroutine" && !b.Native {
			return nil, measure.Unavailablef("its threads are goroutines (%v)", b)
		}
		if err := crowd.HasRoom(n); err != nil {
			return nil, err
		}
		return crowd.Open(kind)
	}
}
