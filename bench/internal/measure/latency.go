package measure

import (
	"slices"
	"time"
)

// LatencyPoints is how many values describe a distribution of latencies: those of
// every percent from 0 to 100.
const LatencyPoints = 101

// Latencies returns the distribution of how long single operations took, for
// [Reading.Latencies]: in nanoseconds, the least, then what 1% did not exceed, and so
// on to the greatest. It sorts what it is given, and returns nil for nothing.
func Latencies(each []time.Duration) []float64 {
	if len(each) == 0 {
		return nil
	}
	slices.Sort(each)
	out := make([]float64, LatencyPoints)
	for i := range out {
		out[i] = float64(each[i*(len(each)-1)/(LatencyPoints-1)])
	}
	return out
}

// Latencies returns the distribution of all rounds: of each point the median. It is
// nil if the readings have none.
func (s Series) Latencies() []float64 {
	if len(s.Readings) == 0 {
		return nil
	}
	out := make([]float64, LatencyPoints)
	for i := range out {
		var values []float64
		for _, r := range s.Readings {
			if len(r.Latencies) != LatencyPoints {
				return nil
			}
			values = append(values, r.Latencies[i])
		}
		out[i] = Median(values)
	}
	return out
}
