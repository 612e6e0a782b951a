package exp

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"time"

	"greenthread/bench/internal/measure"
	"greenthread/bench/internal/peers"
)

// wake asks what it costs to wake somebody who waits, and to wait for the answer.
func wake(peers Peers) measure.Experiment {
	e := measure.Experiment{
		Name:    "wake",
		Title:   "two wake each other: there and back",
		Help:    page("wake"),
		Short:   true,
		Rounds:  20,
		Long:    60,
		Metrics: []measure.Metric{measure.Nanoseconds("ns_per_roundtrip"), percentile("p50_ns", 50), percentile("p99_ns", 99)},
		Ratios: []measure.Ratio{
			{Of: "parker/1cpu/2p", To: "futex/c/1cpu"},
			{Of: "parker/1cpu/2p", To: "futex/c/1cpu", Metric: "p50_ns", Label: "parker/1cpu/2p : futex/c/1cpu, p50"},
			{Of: "parker/1cpu", To: "futex/c/1cpu"},
			{Of: "parker/2cpus", To: "futex/c/2cpus"},
			{Of: "futex/1cpu/2p", To: "futex/c/1cpu"},
			{Of: "green/kernel/1cpu/2p", To: "futex/c/1cpu"},
			{Of: "green/kernel/1cpu/2p", To: "futex/c/1cpu", Metric: "p50_ns", Label: "green/kernel/1cpu/2p : futex/c/1cpu, p50"},
			{Of: "green/kernel/2cpus", To: "futex/c/2cpus"},
			{Of: "channel/locked/1cpu/2p", To: "parker/1cpu/2p"},
			{Of: "channel/locked/2cpus", To: "parker/2cpus"},
			{Of: "channel/1cpu", To: "green/one/1cpu"},
			{Of: "futex/c/1cpu", To: "green/one/1cpu"},
			{Of: "st/1cpu", To: "green/one/1cpu"},
		},
	}
	places := []struct {
		name string
		cpus func() ([]int, error)
		ps   int // GOMAXPROCS, if it is not the number of CPUs
	}{{"1cpu", oneCPU, 0}, {"1cpu/2p", oneCPU, 2}, {"2cpus", twoCPUs, 0}}
	for _, v := range []struct {
		name          string
		open          func() (rally, error)
		program, task string  // of a peer, instead
		published     float64 // on one CPU
		places        string
	}{
		{name: "green/one", places: "1cpu", open: wakeGreenOne},
		{name: "green/across", places: "1cpu 2cpus", open: wakeGreenAcross},
		{name: "green/kernel", places: "1cpu 1cpu/2p 2cpus", open: wakeGreenKernel},
		{name: "parker", places: "1cpu 1cpu/2p 2cpus", open: wakeParker},
		{name: "futex", places: "1cpu 1cpu/2p 2cpus", open: wakeFutex},
		{name: "futex/c", places: "1cpu 2cpus", program: "wake", task: "futex"},
		{name: "pthread", places: "1cpu 2cpus", program: "wake", task: "condition"},
		{name: "channel", places: "1cpu 2cpus", open: wakeChannel},
		{name: "channel/locked", places: "1cpu 1cpu/2p 2cpus", open: wakeChannelLocked},
		{name: "st", places: "1cpu", program: "st", task: "switch", published: 36},
	} {
		for _, p := range places {
			if !slices.Contains(strings.Fields(v.places), p.name) {
				continue
			}
			name := v.name + "/" + p.name
			variant := measure.Variant{Name: name, Takes: 30 * time.Millisecond}
			if v.open == nil {
				variant.Open = peerOn(peers, v.program, v.task, p.cpus)
			} else {
				variant.Open = apart("wake/"+name, p.cpus, rallying(v.open, p.ps))
			}
			if p.name == "1cpu" {
				variant.Published = v.published
			}
			e.Variants = append(e.Variants, variant)
		}
	}
	return e
}

// percentile is the metric of how long the single operations took that so many percent
// did not exceed.
func percentile(name string, percent int) measure.Metric {
	return measure.Metric{
		Name:  name,
		Unit:  "ns",
		Known: func(r measure.Reading) bool { return len(r.Latencies) == measure.LatencyPoints },
		Value: func(r measure.Reading, _ int) float64 { return r.Latencies[percent] },
	}
}

// rallying returns what opens the sampler of a rally, with that GOMAXPROCS in the whole
// process if it is not 0.
func rallying(open func() (rally, error), ps int) peers.Task {
	return func(context.Context) (measure.Sampler, error) {
		if ps != 0 {
			runtime.GOMAXPROCS(ps)
		}
		r, err := open()
		return r, err
	}
}
