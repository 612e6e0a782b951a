package exp

import (
	"sync/atomic"
	"testing"

	"greenthread/bench/internal/measure"
)

func TestEachThreadYieldsAsOftenAsItWasTold(t *testing.T) {
	const threads = 7
	for name, open := range map[string]func(int) (measure.Sampler, error){"green": yieldGreen, "gosched": yieldGosched} {
		s, err := open(threads)
		if err != nil {
			t.Fatal(err)
		}
		l := s.(oneP).Sampler.(*laps)
		var yielded atomic.Int64
		inner := l.yield
		l.yield = func(n int) { yielded.Add(int64(n)); inner(n) }
		for _, n := range []int{1, 2, 100} {
			before := yielded.Load()
			r, err := s.Sample(t.Context(), measure.NewClock(), n)
			if err != nil || r.Ops != n || r.Elapsed <= 0 {
				t.Errorf("%s: %+v, %v", name, r, err)
			}
			if got, want := yielded.Load()-before, int64(threads*(n-1)); got != want {
				t.Errorf("%s: %d yields in %d laps, want %d", name, got, n, want)
			}
			if e := r.Further[evenness]; e <= 0 || e > 100 {
				t.Errorf("%s: the evenness is %v%%", name, e)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(name, err)
		}
	}
}
