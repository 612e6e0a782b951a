package exp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"greenthread/bench/internal/measure"
	"greenthread/stackpool"
	"greenthread/stackpool/trace"
)

// traceVariable names a file with a recorded trace (see package trace), which then
// is one more pattern.
const traceVariable = "BENCH_TRACE"

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
func stackcache() measure.Experiment {
	e := measure.Experiment{
		Name:   "stackcache",
		Title:  "a Get or a Put, with the use in between",
		Rounds: 3,
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
	patterns := cachePatterns
	if file := os.Getenv(traceVariable); file != "" {
		patterns = append(patterns[:len(patterns):len(patterns)], cachePattern{"trace", "the trace in " + file,
			func(int) ([]trace.Event, error) { return readTrace(file) }})
	}
	var lines strings.Builder
	for _, pattern := range patterns {
		for _, policy := range cachePolicies() {
			name := pattern.name + "/" + policy.name
			v := measure.Variant{Name: name, Ops: cacheEvents, Open: func(context.Context) (measure.Sampler, error) {
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

// readTrace reads a recorded trace.
func readTrace(file string) ([]trace.Event, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return trace.Read(f)
}

// orEmpty is the error of a trace without events, unless there is another one.
func orEmpty(err error) error { return cmp.Or(err, errors.New("the trace is empty")) }
