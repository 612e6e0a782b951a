package exp

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"greenthread/bench/internal/measure"
	green "greenthread/runtime"
)

const (
	sleepers   = 10_000                 // threads that sleep at the same time
	sleepMost  = 100 * time.Millisecond // each sleeps for a random time up to this
	sleepTimes = 3                      // one after the other
	clockCost  = time.Microsecond       // more is not taken off for looks at the clock
)

// sleeping asks how late sleepers wake.
func sleeping() measure.Experiment {
	return measure.Experiment{
		Name:   "sleep",
		Title:  "how late 10,000 threads wake that sleep at random",
		Help:   page("sleep"),
		Rounds: 9,
		Long:   35,
		Metrics: []measure.Metric{
			percentile("late_p50_ns", 50), percentile("late_p99_ns", 99), percentile("late_max_ns", 100),
			measure.Further("cpu_ns_per_sleep", "ns"),
		},
		Variants: []measure.Variant{
			{Name: "green", Ops: sleepers, Takes: sleepTimes * sleepMost, Open: apart("sleep/green", nil, sleepGreen)},
			{Name: "goroutine", Ops: sleepers, Takes: sleepTimes * sleepMost, Open: apart("sleep/goroutine", nil, sleepGoroutine)},
		},
		Ratios: []measure.Ratio{
			{Of: "green", To: "goroutine", Label: "green : goroutine, median"},
			{Of: "green", To: "goroutine", Label: "green : goroutine, p99", Metric: "late_p99_ns"},
			{Of: "green", To: "goroutine", Label: "green : goroutine, CPU time", Metric: "cpu_ns_per_sleep"},
		},
	}
}

// sleepGreen has green threads sleep, on as many carriers as there are by default.
func sleepGreen(context.Context) (measure.Sampler, error) {
	r, err := green.New(green.Config{})
	if err != nil {
		return nil, err
	}
	return &dormitory{
		start: func(body func()) error { _, err := r.Go(body); return err },
		sleep: green.Sleep,
	}, nil
}

// sleepGoroutine has goroutines call time.Sleep.
func sleepGoroutine(context.Context) (measure.Sampler, error) {
	return &dormitory{
		start: func(body func()) error { go body(); return nil },
		sleep: time.Sleep,
	}, nil
}

// A dormitory is a sampler of threads that all sleep at the same time. One operation is
// a thread that sleeps a few times.
type dormitory struct {
	start func(body func()) error
	sleep func(time.Duration)
	warm  bool // there were threads before
}

// Sample has n threads sleep. Before the first sample all of that is done once more, so
// that none has to wait for stacks to be made.
func (d *dormitory) Sample(_ context.Context, clock measure.Clock, n int) (measure.Reading, error) {
	if !d.warm {
		d.warm = true
		if r, err := d.night(clock, n); err != nil {
			return r, err
		}
	}
	return d.night(clock, n)
}

func (d *dormitory) night(clock measure.Clock, n int) (measure.Reading, error) {
	late := make([]time.Duration, n*sleepTimes)
	var asleep sync.WaitGroup
	count := measure.CountUsage()
	before, _ := measure.NewMeter().CPUTime()
	begin := clock.Now()
	for i := range n {
		asleep.Add(1)
		err := d.start(func() {
			for j := range sleepTimes {
				length := rand.N(sleepMost) + 1
				start := clock.Now()
				d.sleep(length)
				late[i*sleepTimes+j] = clock.Since(start) - length
			}
			asleep.Done()
		})
		if err != nil {
			return measure.Reading{}, err // those that sleep go with the process
		}
	}
	asleep.Wait()
	r := measure.Reading{Ops: n, Elapsed: clock.Since(begin), Usage: count()}
	after, _ := measure.NewMeter().CPUTime()
	r.Further = map[string]float64{"cpu_ns_per_sleep": float64(after.Own-before.Own) / float64(len(late))}
	r.Latencies = measure.Latencies(late)
	if r.Latencies[0] < -float64(clockCost) {
		return r, fmt.Errorf("a thread woke %.0f ns too early", -r.Latencies[0])
	}
	return r, nil
}

// Close has nothing to release that does not end with the process.
func (*dormitory) Close() error { return nil }
