package report

import (
	"fmt"
	"math"
	"slices"

	"greenthread/bench/internal/measure"
)

// Summarize computes the section of an outcome.
func Summarize(o measure.Outcome) Section {
	e := o.Experiment
	s := Section{
		Experiment:  e.Name,
		Title:       e.Title,
		Help:        e.Help,
		Interrupted: o.Interrupted,
		Counted:     e.Counted,
	}
	if !e.Counted {
		s.Disturbed = o.Disturbances()
	}
	for _, series := range o.Series {
		partial := len(series.Readings) > 0
		if series.Note != "" {
			s.Notes = append(s.Notes, Note{series.Variant.Name, series.Note, partial})
		}
		if !partial {
			continue
		}
		for i, m := range e.Metrics {
			r, ok := result(e.Name, series, m)
			if !ok {
				s.Notes = append(s.Notes, Note{series.Variant.Name, fmt.Sprintf("its %s is no number in some round", m.Name), true})
				continue
			}
			if i == 0 {
				r.Published = series.Variant.Published
				r.Latencies = series.Latencies()
			}
			s.Results = append(s.Results, r)
		}
		for _, m := range measure.Counts() {
			if r, ok := result(e.Name, series, m); ok {
				s.Counts = append(s.Counts, r)
			}
		}
	}
	for _, r := range e.Ratios {
		samples := r.Quotients(o)
		if len(samples) == 0 || !finite(samples) {
			continue
		}
		s.Ratios = append(s.Ratios, RatioResult{
			Experiment: e.Name,
			Name:       r.Name(),
			Samples:    samples,
			Summary:    measure.Summarize(samples),
			Published:  r.Published,
		})
	}
	return s
}

// result computes a metric of a variant, and reports whether there is one: a
// division by no time at all, for example, is no figure.
func result(experiment string, s measure.Series, m measure.Metric) (Result, bool) {
	samples := s.Figures(m)
	if len(samples) == 0 || !finite(samples) {
		return Result{}, false
	}
	return Result{
		Experiment:     experiment,
		Variant:        s.Variant.Name,
		Metric:         m.Name,
		Unit:           m.Unit,
		Samples:        samples,
		Summary:        measure.Summarize(samples),
		Ops:            s.Readings[0].Ops,
		Course:         s.Course(m),
		HigherIsBetter: m.HigherIsBetter,
	}, true
}

func finite(xs []float64) bool {
	return !slices.ContainsFunc(xs, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
}
