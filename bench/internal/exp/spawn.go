package exp

import (
	"context"
	"fmt"
	"time"

	"greenthread/bench/internal/measure"
)

// bursts are how many threads are made before the first is joined.
var bursts = []int{1, 100, 1000, 10_000}

// spawn asks what a thread costs from its making to its end, alone and in bursts.
func spawn(peers Peers) measure.Experiment {
	e := measure.Experiment{
		Name:    "spawn",
		Title:   "a thread in a burst: all are made, then all are joined",
		Help:    page("spawn"),
		Rounds:  15,
		Long:    50,
		Metrics: []measure.Metric{measure.Nanoseconds("ns_per_op")},
	}
	for _, family := range []struct {
		name string
		open func(burst int) func(context.Context) (measure.Sampler, error)
	}{
		{"green", spawnGreen},
		{"foreign", spawnForeign},
		{"goroutine", spawnGoroutine},
		{"clone", spawnClone},
		{"pthread", spawnPeer(peers, "pthread")},
		{"boost.fiber", spawnPeer(peers, "boost.fiber")},
		{"pth", spawnPeer(peers, "pth")},
		{"st", spawnPeer(peers, "st")},
	} {
		for _, n := range bursts {
			e.Variants = append(e.Variants, measure.Variant{
				Name: fmt.Sprintf("%s/%d", family.name, n), Open: family.open(n), Units: n, Takes: 80 * time.Millisecond,
			})
		}
	}
	for _, n := range bursts {
		for _, other := range []string{"goroutine", "clone", "pthread"} {
			e.Ratios = append(e.Ratios, measure.Ratio{Of: fmt.Sprintf("%s/%d", other, n), To: fmt.Sprintf("green/%d", n)})
		}
	}
	return e
}

// spawnPeer returns what opens the bursts of a peer program.
func spawnPeer(peers Peers, program string) func(int) func(context.Context) (measure.Sampler, error) {
	return func(burst int) func(context.Context) (measure.Sampler, error) {
		return peer(peers, program, fmt.Sprintf("spawn/%d", burst))
	}
}
