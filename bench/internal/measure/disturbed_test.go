package measure_test

import (
	"strings"
	"testing"
	"time"

	"greenthread/bench/internal/measure"
)

// readings returns one of a second each time, with 1000 operations per millisecond
// of the times.
func readings(u measure.Usage, ms ...int) []measure.Reading {
	var out []measure.Reading
	for _, t := range ms {
		out = append(out, measure.Reading{Ops: 100_000, Elapsed: time.Duration(t) * time.Millisecond, Usage: u})
	}
	return out
}

func TestDisturbancesAreNamed(t *testing.T) {
	steady := measure.Series{Variant: measure.Variant{Name: "steady"}, Readings: readings(measure.Usage{Involuntary: 7}, 100, 100, 101, 100, 102, 100, 100)}
	sleeps := measure.Series{Variant: measure.Variant{Name: "sleeps"}, Readings: readings(measure.Usage{Voluntary: 100_000, Involuntary: 50_000}, 100, 101, 100, 100, 100, 100)}
	wavers := measure.Series{Variant: measure.Variant{Name: "wavers"}, Readings: readings(measure.Usage{}, 100, 150, 100, 155, 160, 100, 145)}
	few := measure.Series{Variant: measure.Variant{Name: "few"}, Readings: readings(measure.Usage{}, 100, 150, 100)}
	for _, c := range []struct {
		name           string
		stolen, others float64
		series         []measure.Series
		want           []string
		mustNotMention string
	}{
		{"quiet", 0.009, 0.04, []measure.Series{steady, sleeps, few}, nil, ""},
		{"steal", 0.02, 0, []measure.Series{steady}, []string{"took away 2.0%"}, ""},
		{"others", 0, 0.25, []measure.Series{steady, sleeps}, []string{"other processes took 25%", "70 times a second"}, "sleeps"},
		{"spread", 0, 0, []measure.Series{steady, wavers}, []string{"more than 30% of the median: wavers"}, "steady"},
	} {
		e := experiment()
		got := strings.Join(measure.Outcome{Experiment: e, Series: c.series, Stolen: c.stolen, Others: c.others}.Disturbances(), "\n")
		if len(c.want) == 0 && got != "" {
			t.Errorf("%s: %s", c.name, got)
		}
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q is not in %q", c.name, want, got)
			}
		}
		if c.mustNotMention != "" && strings.Contains(got, c.mustNotMention) {
			t.Errorf("%s: %s is mentioned in %q", c.name, c.mustNotMention, got)
		}
	}
}

// sharingMeter sees how the CPUs' time went: ten seconds for each look.
type sharingMeter struct{ now *measure.CPUTime }

func (sharingMeter) Count() func() measure.Usage {
	return func() measure.Usage { return measure.Usage{} }
}
func (m sharingMeter) CPUTime() (measure.CPUTime, bool) {
	m.now.Total += 10 * time.Second
	m.now.Busy += 6 * time.Second
	m.now.Own += 4 * time.Second
	m.now.Stolen += time.Second
	return *m.now, true
}

func TestSharesOfTheCPUsAreOfTheRunOnly(t *testing.T) {
	p := plan(newFakeClock(), 1)
	p.Meter = sharingMeter{&measure.CPUTime{Total: 1e15, Busy: 7e14, Own: 1, Stolen: 1e14}}
	out := p.Run(t.Context(), experiment())
	if out.Stolen != 0.1 || out.Others != 0.2 {
		t.Errorf("stolen %v, others %v; want 0.1 and 0.2", out.Stolen, out.Others)
	}
}
