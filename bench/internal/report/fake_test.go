package report_test

import (
	"context"
	"errors"
	"time"

	"greenthread/bench/internal/host"
	"greenthread/bench/internal/measure"
	"greenthread/bench/internal/report"
)

// fakeClock moves only when somebody works.
type fakeClock struct{ now time.Duration }

func (c *fakeClock) Now() time.Duration { return c.now }

func (c *fakeClock) Since(start time.Duration) time.Duration { return c.now - start }

// fakeMeter counts more from sample to sample; of the CPUs' time others take a tenth.
type fakeMeter struct {
	samples uint64
	cpu     measure.CPUTime
}

func (m *fakeMeter) Count() func() measure.Usage {
	return func() measure.Usage {
		m.samples++
		return measure.Usage{
			Go: true, Allocations: 2, Collections: m.samples % 2,
			Kernel: true, MinorFaults: int64(m.samples % 3), Involuntary: int64(m.samples % 2),
		}
	}
}

func (m *fakeMeter) CPUTime() (measure.CPUTime, bool) {
	m.cpu.Total += 100 * time.Second
	m.cpu.Busy += 60 * time.Second
	m.cpu.Own += 50 * time.Second
	return m.cpu, true
}

// fakeDocument is a document with one of everything: it is measured by the
// engine, on a clock that makes the figures the same each time.
func fakeDocument(ctx context.Context) report.Document {
	clock := &fakeClock{}
	plan := measure.Plan{Rounds: 7, Sample: 10 * time.Millisecond, Clock: clock, Meter: &fakeMeter{}}

	// costs takes so long in the rounds 1, 2, ...; without an entry it fails. The
	// first four samples, to calibrate and to warm up, take as long as round 1.
	costs := func(rounds ...time.Duration) func(context.Context) (measure.Sampler, error) {
		sample := 0
		return func(context.Context) (measure.Sampler, error) {
			return measure.Loop(func(n int) error {
				round := max(0, sample-4)
				sample++
				if round >= len(rounds) {
					return errors.New("signal: segmentation fault")
				}
				clock.now += time.Duration(n) * rounds[round]
				return nil
			}, nil), nil
		}
	}
	unavailable := func(reason string) func(context.Context) (measure.Sampler, error) {
		return func(context.Context) (measure.Sampler, error) { return nil, measure.Unavailable(reason) }
	}
	const ms = time.Millisecond
	create := measure.Experiment{
		Name:    "create",
		Title:   "one thread, made and joined",
		Metrics: []measure.Metric{measure.Nanoseconds("ns_per_op")},
		Variants: []measure.Variant{
			{Name: "slow", Open: costs(20*ms, 24*ms, 22*ms, 21*ms, 20*ms, 22*ms, 44*ms), Published: 14020},
			{Name: "fast", Open: costs(10*ms, 12*ms, 11*ms, 10*ms, 10*ms, 20*ms, 21*ms)},
			{Name: "dies", Open: costs(10*ms, 12*ms)},
			{Name: "absent/fresh", Open: unavailable("not built yet")},
			{Name: "alien", Open: unavailable("alien.cpp does not compile: " +
				"a/header/with/a/long/name.hpp: No such file or directory that anybody knows of")},
			{Name: "absent/pooled", Open: unavailable("not built yet")},
		},
		Ratios: []measure.Ratio{
			{Of: "slow", To: "fast", Published: 7.832402234},
			{Of: "dies", To: "fast"},
			{Of: "absent/fresh", To: "fast", Published: 3},
		},
	}
	twice := measure.Experiment{
		Name:    "switch",
		Title:   "one switch, one way",
		Metrics: []measure.Metric{measure.Nanoseconds("ns_per_switch")},
		Variants: []measure.Variant{
			{Name: "round.trip", Open: costs(20*ms+800, 20*ms, 21*ms, 22*ms, 20*ms, 20*ms, 20*ms), Units: 2_000_000},
		},
	}
	return report.Document{
		Env: report.Env{
			Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
			Machine: host.Machine{
				CPU: "Imaginary CPU <64> & more", CPUs: 2, List: "0-1", Procs: 1, Memory: 4 << 20, OS: "linux",
				Arch: "amd64", Kernel: "Linux 6.18.0", THP: "madvise", Go: "go1.26.0",
			},
			Build:   host.Build{Module: "greenthread", Version: "(devel)", Revision: "0123abc+changes", Flags: "CGO_ENABLED=1"},
			Backend: "native", CC: "cc 12.2.0", CXX: "no C++ compiler found", Rounds: 7, SampleMS: 10,
			Confidence: measure.Confidence,
		},
		Sections: []report.Section{
			report.Summarize(plan.Run(ctx, create)),
			report.Summarize(plan.Run(ctx, twice)),
		},
	}
}
