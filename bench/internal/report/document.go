package report

import (
	"time"

	"greenthread/bench/internal/host"
	"greenthread/bench/internal/measure"
)

// A Document is the result of one run of the program.
type Document struct {
	Env      Env
	Sections []Section // one per experiment
}

// Env is everything around the figures that they depend on.
type Env struct {
	Time time.Time `json:"time"`
	host.Machine
	Backend  string  `json:"backend"` // of the green-thread runtime
	CC       string  `json:"cc"`      // the C compiler of the peers, or why there is none
	CXX      string  `json:"cxx"`     // the C++ compiler
	Rounds   int     `json:"rounds"`
	SampleMS float64 `json:"sample_ms"` // intended length of a sample
}

// A Section holds the figures of one experiment.
type Section struct {
	Experiment  string
	Title       string
	Results     []Result
	Ratios      []RatioResult
	Notes       []Note // variants that were left out or stopped early
	Interrupted bool
}

// A Result is one metric of one variant over the rounds.
type Result struct {
	Experiment string    `json:"experiment"`
	Variant    string    `json:"variant"`
	Metric     string    `json:"metric"`
	Unit       string    `json:"unit"`
	Samples    []float64 `json:"samples"` // one per round, in their order
	Min        float64   `json:"min"`
	Median     float64   `json:"median"`
	P99        float64   `json:"p99"`

	Published float64 `json:"-"` // by somebody else, in the same unit; 0 if none
}

// A RatioResult is the median over the rounds of a ratio between two variants.
type RatioResult struct {
	Experiment string   `json:"experiment"`
	Name       string   `json:"name"`
	Value      float64  `json:"value"`
	Published  *float64 `json:"published"` // null if none
}

// A Note says why a variant has no figures, or fewer than it should.
type Note struct {
	Variant string
	Text    string
	Partial bool // it has some
}

// Summarize computes the section of an outcome.
func Summarize(o measure.Outcome) Section {
	e := o.Experiment
	s := Section{Experiment: e.Name, Title: e.Title, Interrupted: o.Interrupted}
	for _, series := range o.Series {
		partial := len(series.Readings) > 0
		if series.Note != "" {
			s.Notes = append(s.Notes, Note{series.Variant.Name, series.Note, partial})
		}
		if !partial {
			continue
		}
		for i, m := range e.Metrics {
			r := result(e.Name, series, m)
			if i == 0 {
				r.Published = series.Variant.Published
			}
			s.Results = append(s.Results, r)
		}
	}
	for _, r := range e.Ratios {
		value, ok := r.Value(o)
		if !ok {
			continue
		}
		rr := RatioResult{Experiment: e.Name, Name: r.Name(), Value: value}
		if r.Published != 0 {
			rr.Published = &r.Published
		}
		s.Ratios = append(s.Ratios, rr)
	}
	return s
}

func result(experiment string, s measure.Series, m measure.Metric) Result {
	samples := s.Figures(m)
	return Result{
		Experiment: experiment,
		Variant:    s.Variant.Name,
		Metric:     m.Name,
		Unit:       m.Unit,
		Samples:    samples,
		Min:        measure.Min(samples),
		Median:     measure.Median(samples),
		P99:        measure.P99(samples),
	}
}

// Interrupted reports whether any experiment was cut short.
func (d Document) Interrupted() bool {
	for _, s := range d.Sections {
		if s.Interrupted {
			return true
		}
	}
	return false
}
