package exp

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"greenthread/bench/internal/measure"
)

func TestSleepersSleepAsOftenAsTheyShall(t *testing.T) {
	const n = 20
	for name, open := range map[string]func() (measure.Sampler, error){
		"green":     func() (measure.Sampler, error) { return sleepGreen(t.Context()) },
		"goroutine": func() (measure.Sampler, error) { return sleepGoroutine(t.Context()) },
	} {
		s, err := open()
		if err != nil {
			t.Fatal(err)
		}
		d := s.(*dormitory)
		var sleeps atomic.Int64
		really := d.sleep
		d.sleep = func(length time.Duration) {
			if length <= 0 || length > sleepMost {
				t.Errorf("%s: a sleep of %v", name, length)
			}
			sleeps.Add(1)
			really(length)
		}
		r, err := d.Sample(t.Context(), measure.NewClock(), n)
		if err != nil || r.Ops != n || len(r.Latencies) != measure.LatencyPoints || r.Elapsed <= 0 {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
		if got := sleeps.Load(); got != 2*n*sleepTimes { // once to get warm
			t.Errorf("%s: %d sleeps, want %d", name, got, 2*n*sleepTimes)
		}
	}
}

func TestWakingTooEarlyIsAFailure(t *testing.T) {
	d := &dormitory{start: func(body func()) error { go body(); return nil }, sleep: func(time.Duration) {}}
	if _, err := d.Sample(t.Context(), measure.NewClock(), 3); err == nil || !strings.Contains(err.Error(), "too early") {
		t.Errorf("the error is %v", err)
	}
}
