package measure_test

import (
	"slices"
	"testing"
	"time"

	"greenthread/bench/internal/measure"
)

func TestLatenciesAreThoseOfEachPercent(t *testing.T) {
	var each []time.Duration
	for i := range 1001 {
		each = append(each, time.Duration(i*10%1001)) // 0 to 1000, out of order
	}
	got := measure.Latencies(each)
	for i, v := range got {
		if v != float64(10*i) {
			t.Fatalf("%d%% is %v, want %d", i, v, 10*i)
		}
	}
	if got := measure.Latencies([]time.Duration{5}); len(got) != measure.LatencyPoints || slices.Min(got) != 5 || slices.Max(got) != 5 {
		t.Errorf("of one operation: %v", got)
	}
	if got := measure.Latencies(nil); got != nil {
		t.Errorf("of none: %v", got)
	}
}

func TestLatenciesOfTheRoundsAreTheirMedian(t *testing.T) {
	round := func(x time.Duration) measure.Reading {
		return measure.Reading{Latencies: measure.Latencies([]time.Duration{x, 2 * x})}
	}
	s := measure.Series{Readings: []measure.Reading{round(10), round(30), round(20)}}
	got := s.Latencies()
	if got[0] != 20 || got[measure.LatencyPoints-1] != 40 || !slices.IsSorted(got) {
		t.Errorf("the distribution is %v", got)
	}
	s.Readings = append(s.Readings, measure.Reading{})
	if got := s.Latencies(); got != nil {
		t.Errorf("with a round that has none: %v", got)
	}
	if got := (measure.Series{}).Latencies(); got != nil {
		t.Errorf("without rounds: %v", got)
	}
}
