package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"
)

// A Plan says how thoroughly to measure.
type Plan struct {
	Rounds int           // samples per variant
	Sample time.Duration // length of one sample
	Clock  Clock
	Meter  Meter // nil: nothing is counted
	Brief  bool  // an impression will do, see Variant.Fewer

	// Thorough is set for a run that may take long: Experiment.Long takes the place of
	// Experiment.Rounds.
	Thorough bool

	// Progress, when set, is told before each step: round 0 is preparation,
	// rounds 1 to Plan.RoundsOf are counted ones. It is never called while
	// something is being measured.
	Progress func(experiment string, round int)
}

// An Outcome is what an experiment brought.
type Outcome struct {
	Experiment  Experiment
	Series      []Series // one per variant, in the order of the experiment
	Interrupted bool     // the context ended before the last round did

	// Shares of the CPUs' time, 0 to 1, that the hypervisor took away and that other
	// processes took; 0 where it is not known.
	Stolen, Others float64
}

// A Series holds the readings of one variant. Reading i is of round i: a variant
// that fails is not tried again, so a series has no holes.
type Series struct {
	Variant  Variant
	Readings []Reading
	Note     string // why it was left out or stopped early; empty if neither
}

// RoundsOf returns how many rounds of e are measured.
func (p Plan) RoundsOf(e Experiment) int {
	switch {
	case e.Rounds == 0:
		return p.Rounds
	case p.Thorough:
		return min(p.Rounds, e.Long)
	}
	return min(p.Rounds, e.Rounds)
}

// calibration is how many samples the preparation of a variant takes, about.
const calibration = 4

// Expected returns how long e will take, about: to prepare it, and each round.
func (p Plan) Expected(e Experiment) (preparation, round time.Duration) {
	for _, v := range e.Variants {
		sample := cmp.Or(v.Takes, p.Sample)
		round += sample
		if v.Ops == 0 {
			preparation += calibration * sample
		}
	}
	return preparation, round
}

// Run measures e. When ctx ends, it stops before the next sample and returns
// what it has.
func (p Plan) Run(ctx context.Context, e Experiment) Outcome {
	r := run{plan: p, out: Outcome{Experiment: e}}
	for _, v := range e.Variants {
		r.out.Series = append(r.out.Series, Series{Variant: v})
	}
	r.lanes = make([]lane, len(e.Variants))
	before, _ := p.meter().CPUTime()

	r.report(0)
	r.each(ctx, r.open)
	r.each(ctx, r.warmUp)
	for round := range p.RoundsOf(e) {
		if ctx.Err() != nil {
			break
		}
		r.report(round + 1)
		r.each(ctx, r.record)
	}
	r.out.Interrupted = ctx.Err() != nil

	r.close() // peers end, and their time is known
	if after, ok := p.meter().CPUTime(); ok {
		r.out.Stolen, r.out.Others = after.since(before)
	}
	return r.out
}

// run is the state of one experiment under way.
type run struct {
	plan  Plan
	out   Outcome
	lanes []lane // beside out.Series
}

// A lane is a variant that still takes part (sampler not nil), or no more.
type lane struct {
	sampler Sampler
	ops     int
}

func (p Plan) meter() Meter {
	if p.Meter == nil {
		return noMeter{}
	}
	return p.Meter
}

func (r *run) report(round int) {
	if r.plan.Progress != nil {
		r.plan.Progress(r.out.Experiment.Name, round)
	}
}

// each does step for one variant after the other. A variant whose step fails
// leaves the race; but when the reason is that ctx ended, nobody is to blame.
func (r *run) each(ctx context.Context, step func(context.Context, *lane, *Series) error) {
	for i := range r.lanes {
		if ctx.Err() != nil {
			return
		}
		lane, series := &r.lanes[i], &r.out.Series[i]
		if series.Note != "" {
			continue
		}
		if err := step(ctx, lane, series); err != nil && ctx.Err() == nil {
			series.Note = note(err, len(series.Readings))
			lane.close()
		}
	}
}

// note words the reason for which a variant left after so many rounds.
func note(err error, rounds int) string {
	var unavailable Unavailable
	switch {
	case errors.As(err, &unavailable):
		return err.Error()
	case rounds == 1:
		return fmt.Sprintf("failed after 1 round: %v", err)
	case rounds > 1:
		return fmt.Sprintf("failed after %d rounds: %v", rounds, err)
	default:
		return fmt.Sprintf("it failed: %v", err)
	}
}

func (r *run) open(ctx context.Context, l *lane, s *Series) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	sampler, err := s.Variant.Open(ctx)
	if err != nil {
		return err
	}
	l.sampler, l.ops = sampler, s.Variant.Ops
	if r.plan.Brief && s.Variant.Fewer > 0 {
		l.ops = s.Variant.Fewer
	}
	if l.ops == 0 {
		l.ops, err = r.plan.calibrate(ctx, l.sampler)
	}
	return err
}

func (r *run) warmUp(ctx context.Context, l *lane, s *Series) error {
	if s.Variant.Ops != 0 {
		return nil
	}
	_, err := r.plan.sample(ctx, l.sampler, l.ops)
	return err
}

func (r *run) record(ctx context.Context, l *lane, s *Series) error {
	reading, err := r.plan.sample(ctx, l.sampler, l.ops)
	if err == nil {
		s.Readings = append(s.Readings, reading)
	}
	return err
}

func (r *run) close() {
	for i := range r.lanes {
		r.lanes[i].close()
	}
}

// close releases the sampler. An error of Close concerns no figure and is
// dropped.
func (l *lane) close() {
	if l.sampler != nil {
		_ = l.sampler.Close()
		l.sampler = nil
	}
}
