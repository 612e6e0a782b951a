package exp

import (
	"context"
	"fmt"
	"time"

	"greenthread/bench/internal/child"
	"greenthread/bench/internal/measure"
	green "greenthread/runtime"
)

// The tree of skynet: so many leaves, and so many branches at each node.
const (
	skynetLeaves   = 1_000_000
	skynetFewer    = 10_000 // with -quick
	skynetBranches = 10
)

// skynet asks what a million threads cost that each do next to nothing.
func skynet() measure.Experiment {
	return measure.Experiment{
		Name:   "skynet",
		Title:  "1,000,000 threads in a tree of ten, summed",
		Help:   page("skynet"),
		Rounds: 3,
		Long:   11,
		Metrics: []measure.Metric{{
			Name: "wall_ms",
			Unit: "ms",
			Value: func(r measure.Reading, _ int) float64 {
				return r.Elapsed.Seconds() * 1000 * skynetLeaves / float64(r.Ops)
			},
		}, measure.Further("peak_mib", "MiB")},
		Variants: []measure.Variant{
			{Name: "green", Open: openSkynetGreen, Ops: skynetLeaves, Takes: time.Second, Fewer: skynetFewer},
			{Name: "goroutine", Open: openSkynetGoroutine, Ops: skynetLeaves, Takes: time.Second, Fewer: skynetFewer},
		},
		Ratios: []measure.Ratio{
			{Of: "green", To: "goroutine", Label: "green : goroutine, time"},
			{Of: "green", To: "goroutine", Label: "green : goroutine, memory", Metric: "peak_mib"},
		},
	}
}

func openSkynetGreen(context.Context) (measure.Sampler, error) {
	if b := green.Backend(); !b.Native {
		return nil, measure.Unavailablef("its threads are goroutines (%v)", b)
	}
	return child.Open("skynet/green")
}

func openSkynetGoroutine(context.Context) (measure.Sampler, error) {
	return child.Open("skynet/goroutine")
}

// skynetTask returns the task that grows a tree by a function that returns the sum of
// the numbers of the leaves.
func skynetTask(grow func(leaves int) (sum int, err error)) child.Task {
	return func(leaves int) (measure.Reading, error) {
		if _, err := grow(skynetBranches); err != nil { // what a process does once is not measured
			return measure.Reading{}, err
		}
		count := measure.CountUsage()
		start := time.Now()
		sum, err := grow(leaves)
		elapsed := time.Since(start)
		usage := count()
		if want := leaves * (leaves - 1) / 2; err == nil && sum != want {
			err = fmt.Errorf("the sum is %d, and should be %d", sum, want)
		}
		if err != nil {
			return measure.Reading{}, err
		}
		peak, err := peakMemory()
		return measure.Reading{
			Ops: leaves, Elapsed: elapsed, Usage: usage, Further: map[string]float64{"peak_mib": float64(peak) / (1 << 20)},
		}, err
	}
}

// skynetParts calls each for the parts of a node's leaves, and returns how many
// there are.
func skynetParts(first, leaves int, each func(first, leaves int)) (parts int) {
	parts = min(skynetBranches, leaves)
	for i := range parts {
		low, high := i*leaves/parts, (i+1)*leaves/parts
		each(first+low, high-low)
	}
	return parts
}
