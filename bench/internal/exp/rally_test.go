package exp

import (
	"errors"
	"sync/atomic"
	"testing"

	"greenthread/bench/internal/measure"
)

func TestRallyIsSoManyRoundTrips(t *testing.T) {
	for _, n := range []int{1, 10, singles + 500} {
		var hands, awaits [2]atomic.Int64
		sides := [2]chan struct{}{make(chan struct{}), make(chan struct{})}
		r, err := rallyOf(onGoroutine,
			func(side int) error { hands[side].Add(1); sides[side] <- struct{}{}; return nil },
			func(side int) error { awaits[side].Add(1); <-sides[side]; return nil },
		).Sample(t.Context(), measure.NewClock(), n)
		if err != nil || r.Ops != n || r.Elapsed <= 0 || !r.Usage.Go || len(r.Latencies) != measure.LatencyPoints {
			t.Errorf("%+v, %v", r, err)
		}
		// One to begin with, and some that are timed by themselves.
		want := int64(1 + n + min(n, singles))
		for side := range sides {
			if h, a := hands[side].Load(), awaits[side].Load(); h != want || a != want {
				t.Errorf("side %d was woken %d times and waited %d times, want %d", side, h, a, want)
			}
		}
	}
}

func TestRallyEndsWithAnErrorOfTheSideThatTakesTheTime(t *testing.T) {
	broken := errors.New("broken")
	s := rallyOf(onGoroutine, func(side int) error { return broken }, func(side int) error { return nil })
	if _, err := s.Sample(t.Context(), measure.NewClock(), 3); !errors.Is(err, broken) {
		t.Errorf("the error is %v", err)
	}
}

func TestPercentileIsUnknownWithoutLatencies(t *testing.T) {
	m := percentile("p50_ns", 50)
	points := make([]float64, measure.LatencyPoints)
	points[50] = 7
	if r := (measure.Reading{Latencies: points}); !m.Known(r) || m.Value(r, 2) != 7 {
		t.Errorf("it is %v", m.Value(r, 2))
	}
	if m.Known(measure.Reading{}) {
		t.Error("it is known without")
	}
}
