package measure

import "time"

// A Reading is what one sample brought home.
type Reading struct {
	Ops     int           // operations done
	Elapsed time.Duration // time for all of them

	// Further holds what was measured besides, by the name of its metric.
	Further map[string]float64

	// Courses tell how some of these figures changed while the sample was taken,
	// by the name of the metric.
	Courses map[string][]Point

	// Latencies tell how long single operations took, where that was measured: what
	// the function of that name returns.
	Latencies []float64

	// Usage is what the operations took besides time. A sampler whose operations
	// run in another process sets Elsewhere, and fills in what that process
	// counted. One that does more than the operations may fill it in as well;
	// otherwise it is counted around Sample.
	Usage     Usage
	Elsewhere bool
}

// A Point is a figure at some moment of a sample.
type Point struct {
	At    time.Duration // since the sample began
	Value float64
}

// A Metric turns a reading into a figure.
type Metric struct {
	Name string
	Unit string

	// HigherIsBetter is set for rates and the like.
	HigherIsBetter bool

	// Known, unless it is nil, reports whether the reading has this figure.
	Known func(r Reading) bool

	// Value computes the figure; units is how many units of the metric one
	// operation holds.
	Value func(r Reading, units int) float64
}

// Nanoseconds returns the metric called name: wall-clock time per unit.
func Nanoseconds(name string) Metric {
	return Metric{
		Name: name,
		Unit: "ns",
		Value: func(r Reading, units int) float64 {
			return float64(r.Elapsed) / (float64(r.Ops) * float64(units))
		},
	}
}

// Further returns a metric that the sampler measures itself, see Reading.Further.
func Further(name, unit string) Metric {
	return Metric{
		Name:  name,
		Unit:  unit,
		Value: func(r Reading, _ int) float64 { return r.Further[name] },
	}
}

// Figures returns the values of metric m for all readings of s, in the order of
// the rounds; nil if the readings have no such figure.
func (s Series) Figures(m Metric) []float64 {
	out := make([]float64, len(s.Readings))
	for i, r := range s.Readings {
		if m.Known != nil && !m.Known(r) {
			return nil
		}
		out[i] = m.Value(r, max(1, s.Variant.Units))
	}
	return out
}

// Course returns how metric m changed while the samples of s were taken: the medians
// of the rounds, point by point; nil if the readings do not tell.
func (s Series) Course(m Metric) []Point {
	var course []Point
	for i := 0; len(s.Readings) > 0; i++ {
		var at, values []float64
		for _, r := range s.Readings {
			if i < len(r.Courses[m.Name]) {
				at = append(at, float64(r.Courses[m.Name][i].At))
				values = append(values, r.Courses[m.Name][i].Value)
			}
		}
		if len(at) < len(s.Readings) { // a round with fewer points ends it
			break
		}
		course = append(course, Point{time.Duration(Median(at)), Median(values)})
	}
	return course
}
