package measure_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"greenthread/bench/internal/measure"
)

// fakeClock moves only when somebody works. Its slowdown makes all work take
// longer, as a busy neighbour on the machine would.
type fakeClock struct {
	now      time.Duration
	slowdown float64
}

func newFakeClock() *fakeClock { return &fakeClock{slowdown: 1} }

func (c *fakeClock) Now() time.Duration { return c.now }

func (c *fakeClock) Since(start time.Duration) time.Duration { return c.now - start }

func (c *fakeClock) work(d time.Duration) { c.now += time.Duration(float64(d) * c.slowdown) }

// costs returns a variant whose operation takes d on the clock.
func costs(c *fakeClock, name string, d time.Duration) measure.Variant {
	return measure.Variant{Name: name, Open: opens(measure.Loop(func(n int) error {
		c.work(time.Duration(n) * d)
		return nil
	}, nil))}
}

func opens(s measure.Sampler) func(context.Context) (measure.Sampler, error) {
	return func(context.Context) (measure.Sampler, error) { return s, nil }
}

// breaksAfter returns a variant that takes d and fails in its so-many-th sample.
func breaksAfter(c *fakeClock, name string, d time.Duration, samples int, fail func() error) measure.Variant {
	return measure.Variant{Name: name, Open: opens(measure.Loop(func(n int) error {
		if samples--; samples < 0 {
			return fail()
		}
		c.work(time.Duration(n) * d)
		return nil
	}, nil))}
}

var errBroken = errors.New("broken")

// experiment puts variants together.
func experiment(variants ...measure.Variant) measure.Experiment {
	return measure.Experiment{
		Name:     "fake",
		Metrics:  []measure.Metric{measure.Nanoseconds("ns_per_op")},
		Variants: variants,
	}
}

func plan(c *fakeClock, rounds int) measure.Plan {
	return measure.Plan{Rounds: rounds, Sample: time.Millisecond, Clock: c}
}

// counts describes how many readings each variant has, and the notes.
func counts(o measure.Outcome) string {
	var s string
	for _, series := range o.Series {
		s += fmt.Sprintf("%s:%d", series.Variant.Name, len(series.Readings))
		if series.Note != "" {
			s += fmt.Sprintf("(%s)", series.Note)
		}
		s += " "
	}
	return s
}
