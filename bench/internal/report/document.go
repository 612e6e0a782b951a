package report

import (
	"fmt"
	"time"

	"greenthread/bench/internal/host"
	"greenthread/bench/internal/measure"
)

// A Document is the result of one run of the program.
type Document struct {
	Env        Env
	Sections   []Section // one per experiment
	Unfinished bool      // there are more experiments to come
}

// Env is everything around the figures that they depend on.
type Env struct {
	Time time.Time `json:"time"`
	host.Machine
	Build      host.Build `json:"build"`
	Backend    string     `json:"backend"` // of the green-thread runtime
	CC         string     `json:"cc"`      // the C compiler of the peers, or why there is none
	CXX        string     `json:"cxx"`     // the C++ compiler
	Rounds     int        `json:"rounds"`
	SampleMS   float64    `json:"sample_ms"`  // intended length of a sample; 0: it is so many operations
	Confidence float64    `json:"confidence"` // level of the intervals, 0 to 1
}

// Rhythm says how many rounds there are, of what length.
func (e Env) Rhythm() string {
	if e.SampleMS == 0 {
		return plural(e.Rounds, "round")
	}
	return fmt.Sprintf("%s of %g ms", plural(e.Rounds, "round"), e.SampleMS)
}

// A Section holds the figures of one experiment.
type Section struct {
	Experiment  string
	Title       string
	Help        string // the page of help
	Results     []Result
	Counts      []Result // what the operations took besides: allocations, faults, switches
	Ratios      []RatioResult
	Notes       []Note   // variants that were left out or stopped early
	Disturbed   []string // what may have spoiled the figures, in sentences
	Interrupted bool
	Counted     bool // the figures are counts
}

// rounds returns how many rounds there were: those of the variant with the most.
func (s Section) rounds() int {
	most := 0
	for _, r := range s.Results {
		most = max(most, len(r.Samples))
	}
	return most
}

// A Result is one metric of one variant over the rounds.
type Result struct {
	Experiment string
	Variant    string
	Metric     string
	Unit       string
	Samples    []float64 // one per round, in their order
	measure.Summary
	Ops            int             // operations in each sample
	Latencies      []float64       // of single operations, ns: every percent from 0 to 100; nil if unknown
	Course         []measure.Point // how it changed during a sample, if that is known
	HigherIsBetter bool            // as for rates
	Published      float64         // by somebody else, in the same unit; 0 if none
}

// A RatioResult is a ratio between two variants, taken in each round.
type RatioResult struct {
	Experiment string
	Name       string
	Samples    []float64
	measure.Summary
	Published float64 // 0 if none
}

// A Note says why a variant has no figures, or fewer than it should.
type Note struct {
	Variant string
	Text    string
	Partial bool // it has some
}

// Interrupted reports whether any experiment was cut short, or not begun yet.
func (d Document) Interrupted() bool {
	if d.Unfinished {
		return true
	}
	for _, s := range d.Sections {
		if s.Interrupted {
			return true
		}
	}
	return false
}
