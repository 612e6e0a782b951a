package measure

import (
	"context"
	"time"
)

// An Experiment is one question put to several candidates.
type Experiment struct {
	Name     string // one word, fixed for good: figures of different days are compared by it
	Title    string // what one operation is, in a few words
	Help     string // a page: question, method, published figures, how to read it, what can mislead
	Short    bool   // part of the short suite
	Rounds   int    // most rounds of it, where one sample takes long; 0 means any number
	Long     int    // most rounds in a thorough run, if Rounds is not 0
	Counted  bool   // its figures are counts, which no disturbance changes; texts have a column for each metric
	Metrics  []Metric
	Variants []Variant // in the order in which each round takes them
	Ratios   []Ratio
}

// A Variant is one candidate.
type Variant struct {
	Name string

	// Units is how many units of the metric one operation holds; 0 means 1. A
	// round trip, for example, is one operation of two switches.
	Units int

	// Ops, unless it is 0, is how many operations each sample has, instead of as
	// many as fill a sample of the planned length. There is no warming up then:
	// samples of this kind start from nothing.
	Ops int

	// Fewer, unless it is 0, takes the place of Ops in a brief plan.
	Fewer int

	// Takes is how long a sample takes, about, for [Plan.Expected]; 0 means as long as
	// planned.
	Takes time.Duration

	// Published is the figure somebody else published for this candidate, in
	// the unit of the experiment's first metric; 0 where there is none.
	Published float64

	// Explicit leaves the candidate out, unless it is named or everything is to be
	// thorough: it takes long, or much memory.
	Explicit bool

	// Open makes the candidate ready. An [Unavailable] error leaves it out.
	Open func(context.Context) (Sampler, error)
}

// A Ratio compares two variants: how many times as much Of takes as To.
type Ratio struct {
	Of, To    string
	Metric    string  // of the experiment; "" is the first one
	Label     string  // how to call it, where "of : to" is not clear enough
	Published float64 // 0 where there is none
}

// Name is the label, or else "of : to".
func (r Ratio) Name() string {
	if r.Label != "" {
		return r.Label
	}
	return r.Of + " : " + r.To
}

// A Sampler is an opened variant.
type Sampler interface {
	// Sample does the operation n times and says how long that took. Work that
	// only prepares the n operations is not counted. The clock is for samplers
	// that run in this process; a peer in another process brings its own.
	Sample(ctx context.Context, clock Clock, n int) (Reading, error)

	// Close releases what Open made. It is called exactly once.
	Close() error
}
