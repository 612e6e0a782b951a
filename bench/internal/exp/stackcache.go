package exp

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"greenthread/bench/internal/measure"
	"greenthread/stackpool"
	"greenthread/stackpool/trace"
)

// cacheEvents is how many requests a sample replays.
const cacheEvents = 8000

// cachePolicies are the policies that are compared. Decay is fast here, as the
// patterns rest for a tenth of a second where programs rest for seconds.
func cachePolicies() []struct {
	name   string
	config stackpool.Config
} {
	return []struct {
		name   string
		config stackpool.Config
	}{
		{"keep", stackpool.Config{Policy: stackpool.KeepAll()}},
		{"decay", stackpool.Config{Policy: stackpool.Decay(20 * time.Millisecond)}},
		{"lowest", stackpool.Config{Policy: stackpool.Decay(20 * time.Millisecond), Order: stackpool.LowestFirst}},
		{"top", stackpool.Config{Policy: stackpool.KeepTop(8<<10, false)}},
		{"topzero", stackpool.Config{Policy: stackpool.KeepTop(8<<10, true)}},
		{"discard", stackpool.Config{Policy: stackpool.DiscardAll()}},
		{"lazy", stackpool.Config{Policy: stackpool.FreeLazily()}},
		{"batched", stackpool.Config{Policy: stackpool.Batched(stackpool.DiscardAll(), 64)}},
		{"warm64", stackpool.Config{Policy: stackpool.KeepAll(), MaxWarm: 64}},
		{"unmap", stackpool.Config{Policy: stackpool.UnmapAll(), ArenaSize: 1}},
	}
}

// stackcache asks what the policies of the pool make of patterns of requests.
func stackcache(patterns ...cachePattern) measure.Experiment {
	e := measure.Experiment{
		Name:   "stackcache",
		Title:  "a Get or a Put, with the use in between",
		Rounds: 3,
		Long:   7,
		Metrics: []measure.Metric{
			measure.Nanoseconds("ns_per_op"),
			measure.Further("p50_ns", "ns"),
			measure.Further("p90_ns", "ns"),
			measure.Further("p99_ns", "ns"),
			measure.Further("p999_ns", "ns"),
			higherIsBetter(measure.Further("hit_pct", "%")),
			higherIsBetter(measure.Further("warm_pct", "%")),
			measure.Further("mean_kib", "KiB"),
			measure.Further("peak_kib", "KiB"),
			measure.Further("rest_kib", "KiB"),
			measure.Further("calls_per_op", ""),
		},
	}
	var lines strings.Builder
	for _, pattern := range patterns {
		for _, policy := range cachePolicies() {
			name := pattern.name + "/" + policy.name
			v := measure.Variant{Name: name, Ops: cacheEvents, Takes: 400 * time.Millisecond, Open: func(context.Context) (measure.Sampler, error) {
				return openReplay(policy.config, pattern.make)
			}}
			e.Variants = append(e.Variants, v)
			fmt.Fprintf(&lines, "    %-20s %s\n", name, pattern.what)
		}
		e.Ratios = append(e.Ratios, measure.Ratio{Of: pattern.name + "/unmap", To: pattern.name + "/decay"})
	}
	e.Help = strings.Replace(page("stackcache"), "    VARIANTS\n", lines.String(), 1)
	return e
}

// higherIsBetter turns a metric round.
func higherIsBetter(m measure.Metric) measure.Metric {
	m.HigherIsBetter = true
	return m
}

// WithTrace returns the menu with the recorded trace in a file (see package trace) as one
// more pattern of stackcache, "trace".
func WithTrace(menu []measure.Experiment, file string) ([]measure.Experiment, error) {
	events, err := readTrace(file)
	if err != nil {
		return nil, err
	}
	recorded := cachePattern{"trace", "the recorded trace", func(int) []trace.Event { return events }}
	menu = slices.Clone(menu)
	for i, e := range menu {
		if e.Name == "stackcache" {
			menu[i] = stackcache(append(slices.Clone(cachePatterns), recorded)...)
		}
	}
	return menu, nil
}

// PlaysTrace reports whether e has variants that play the recorded trace.
func PlaysTrace(e measure.Experiment) bool {
	return e.Name == "stackcache" && slices.ContainsFunc(e.Variants, func(v measure.Variant) bool {
		return strings.HasPrefix(v.Name, "trace/")
	})
}

// readTrace reads a recorded trace of one event at least.
func readTrace(file string) ([]trace.Event, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	events, err := trace.Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(events) == 0 {
		return nil, fmt.Errorf("%s: the trace is empty", file)
	}
	return events, nil
}
