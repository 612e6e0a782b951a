package main

import (
	"testing"
	"time"

	"greenthread/bench/internal/measure"
)

// Two experiments, of which the first takes twice as long as expected, and its rounds
// three times.
func TestEstimateFollowsWhatTheStepsTake(t *testing.T) {
	now := time.Unix(0, 0)
	plan := measure.Plan{Rounds: 4, Sample: time.Second}
	experiments := []measure.Experiment{
		{Name: "a", Variants: []measure.Variant{{}}},                                // 4 s, and 4 rounds of 1 s
		{Name: "b", Variants: []measure.Variant{{Ops: 1, Takes: 10 * time.Second}}}, // 4 rounds of 10 s
	}
	e := newEstimate(plan, experiments, func() time.Time { return now })
	// of is what is left of so many seconds, after some that took longer than expected
	of := func(left, took, expected float64) time.Duration {
		const trust = 48.0 / 20
		return time.Duration(left * (took + trust) / (expected + trust) * float64(time.Second))
	}
	for _, c := range []struct {
		after      time.Duration // since the step before
		experiment string
		round      int
		left       time.Duration
		share      float64
	}{
		{0, "a", 0, of(48, 0, 0), 0},
		{8 * time.Second, "a", 1, of(44, 8, 4), 4.0 / 48},
		{3 * time.Second, "a", 2, 9*time.Second + of(40, 11, 5), 5.0 / 48},
		{3 * time.Second, "a", 3, 6*time.Second + of(40, 14, 6), 6.0 / 48},
		{3 * time.Second, "a", 4, 3*time.Second + of(40, 17, 7), 7.0 / 48},
		{3 * time.Second, "b", 0, of(40, 20, 8), 8.0 / 48},
		{0, "b", 1, of(40, 20, 8), 8.0 / 48},
		{20 * time.Second, "b", 2, 60 * time.Second, 18.0 / 48},
		{40 * time.Second, "b", 4, 20 * time.Second, 38.0 / 48},
	} {
		now = now.Add(c.after)
		left := e.begin(c.experiment, c.round)
		if d := left - c.left; d < -time.Millisecond || d > time.Millisecond || e.share() != c.share {
			t.Errorf("%s, round %d: %v left, %v done, want %v and %v", c.experiment, c.round, left, e.share(), c.left, c.share)
		}
	}
}

func TestTimesAreSaidInRoundWords(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "about 0 s", 89 * time.Second: "about 89 s", 91 * time.Second: "about 2 min", 29*time.Minute + 40*time.Second: "about 30 min",
	} {
		if got := inWords(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}
