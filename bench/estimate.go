package main

import (
	"time"

	"greenthread/bench/internal/measure"
)

// An estimate tells how long the rest of a run will take. What is expected of the steps
// (the preparation and each round of an experiment) is corrected by how long those took
// that are over: those of the experiment under way for its own, all of them for the
// others.
type estimate struct {
	now   func() time.Time
	begun time.Time
	work  map[string]work // by experiment
	total time.Duration   // expected of everything
	ahead time.Duration   // expected of the experiments that have not begun
	over  time.Duration   // what was expected of the steps that are over

	current string
	first   time.Time // when round 1 of the current experiment began
}

// work is what is expected of an experiment.
type work struct {
	preparation, round time.Duration
	rounds             int
}

// from returns what is expected of a step and of those that follow it.
func (w work) from(round int) time.Duration {
	if round == 0 {
		return w.preparation + time.Duration(w.rounds)*w.round
	}
	return time.Duration(w.rounds-round+1) * w.round
}

func newEstimate(plan measure.Plan, experiments []measure.Experiment, now func() time.Time) *estimate {
	e := &estimate{now: now, work: map[string]work{}, begun: now()}
	for _, x := range experiments {
		w := work{rounds: plan.RoundsOf(x)}
		w.preparation, w.round = plan.Expected(x)
		e.work[x.Name] = w
		e.total += w.from(0)
	}
	e.ahead = e.total
	return e
}

// begin is told that a step begins, so that the one before is over, and returns how long
// it will take from now to the end.
func (e *estimate) begin(experiment string, round int) time.Duration {
	now, w := e.now(), e.work[experiment]
	if experiment != e.current {
		e.current = experiment
		e.ahead -= w.from(0)
	}
	if round == 1 {
		e.first = now
	}
	e.over = e.total - e.ahead - w.from(round)
	// How many times as long as expected things take; the first ones alone tell little.
	trust := float64(e.total)/20 + 1
	speed := (float64(now.Sub(e.begun)) + trust) / (float64(e.over) + trust)
	here := time.Duration(speed * float64(w.from(round)))
	if round > 1 {
		here = now.Sub(e.first) / time.Duration(round-1) * time.Duration(w.rounds-round+1)
	}
	return here + time.Duration(speed*float64(e.ahead))
}

// share returns how much of everything is over, 0 to 1, as it was expected.
func (e *estimate) share() float64 { return float64(e.over) / float64(max(1, e.total)) }
