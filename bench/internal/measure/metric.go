package measure

import "time"

// A Reading is what one sample brought home.
type Reading struct {
	Ops     int           // operations done
	Elapsed time.Duration // time for all of them

	// Further holds what was measured besides, by the name of its metric.
	Further map[string]float64
}

// A Metric turns a reading into a figure.
type Metric struct {
	Name string
	Unit string

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
// the rounds.
func (s Series) Figures(m Metric) []float64 {
	out := make([]float64, len(s.Readings))
	for i, r := range s.Readings {
		out[i] = m.Value(r, max(1, s.Variant.Units))
	}
	return out
}
