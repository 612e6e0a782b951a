package exp

import (
	"context"
	"fmt"
	"time"

	"greenthread/bench/internal/measure"
)

// contenders are how many threads want the same. They are even: in channel half of them
// send.
var contenders = []int{2, 8, 64}

// contestOps is how many operations a sample has: so many that it is of no account what
// it takes until all threads run and until the last has ended.
const contestOps = 200_000

// synchronize asks what locks and their kin cost when several want them, and how long
// one may have to wait.
func synchronize() measure.Experiment {
	e := measure.Experiment{
		Name:   "sync",
		Title:  "threads that want the same at once, each operation",
		Help:   page("sync"),
		Rounds: 15,
		Long:   50,
		Metrics: []measure.Metric{
			measure.Nanoseconds("ns_per_op"), percentile("wait_p99_ns", 99), percentile("longest_wait_ns", 100),
		},
	}
	kinds := []struct {
		name string
		crew func() (crew, error)
		game func() syncGame
	}{
		{"mutex/green", greenCrew, greenMutex},
		{"mutex/sync", goCrew, goMutex},
		{"mutex/futex", kernelCrew, futexMutex},
		{"semaphore/green", greenCrew, greenSemaphore},
		{"semaphore/chan", goCrew, goSemaphore},
		{"channel/green", greenCrew, greenChannel},
		{"channel/chan", goCrew, goChannel},
		{"waitgroup/green", greenCrew, greenWaitGroup},
		{"waitgroup/sync", goCrew, goWaitGroup},
	}
	for _, k := range kinds {
		for _, n := range contenders {
			e.Variants = append(e.Variants, measure.Variant{
				Name: fmt.Sprintf("%s/%d", k.name, n), Ops: contestOps, Takes: 30 * time.Millisecond,
				Open: func(context.Context) (measure.Sampler, error) {
					c, err := k.crew()
					return contest{crew: c, game: k.game, threads: n}, err
				},
			})
		}
	}
	for _, pair := range [][2]string{
		{"mutex/sync", "mutex/green"}, {"mutex/sync", "mutex/futex"}, {"semaphore/chan", "semaphore/green"},
		{"channel/chan", "channel/green"}, {"waitgroup/sync", "waitgroup/green"},
	} {
		for _, n := range contenders {
			e.Ratios = append(e.Ratios, measure.Ratio{Of: fmt.Sprintf("%s/%d", pair[0], n), To: fmt.Sprintf("%s/%d", pair[1], n)})
		}
	}
	return e
}
