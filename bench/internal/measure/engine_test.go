package measure_test

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"greenthread/bench/internal/measure"
)

func TestRoundsAreInterleaved(t *testing.T) {
	clock := newFakeClock()
	var order []string
	var record bool
	variant := func(name string) measure.Variant {
		return measure.Variant{Name: name, Open: opens(measure.Loop(func(n int) error {
			if record {
				order = append(order, name)
			}
			clock.work(time.Duration(n) * time.Microsecond)
			return nil
		}, nil))}
	}
	p := plan(clock, 3)
	p.Progress = func(_ string, round int) { record = round > 0 }
	p.Run(t.Context(), experiment(variant("A"), variant("B"), variant("C")))
	if got := strings.Join(order, ""); got != "ABCABCABC" {
		t.Errorf("sampled in the order %s, want ABCABCABC", got)
	}
}

func TestIdenticalVariantsHaveRatioOne(t *testing.T) {
	clock := newFakeClock()
	out := plan(clock, 20).Run(t.Context(), experiment(
		costs(clock, "A", 70*time.Nanosecond), costs(clock, "B", 70*time.Nanosecond)))
	if got := ratio(t, out, "A", "B"); got != 1 {
		t.Errorf("the ratio is %v, want 1", got)
	}
	if r := out.Series[0].Readings[0]; r.Ops != out.Series[1].Readings[0].Ops {
		t.Errorf("one variant got %d operations a sample, its twin another number", r.Ops)
	}
}

func TestKnownDelayIsFound(t *testing.T) {
	clock := newFakeClock()
	out := plan(clock, 20).Run(t.Context(), experiment(
		costs(clock, "slow", 73*time.Nanosecond), costs(clock, "fast", 70*time.Nanosecond)))
	if got, want := ratio(t, out, "slow", "fast"), 73.0/70; math.Abs(got-want) > 1e-9 {
		t.Errorf("the ratio is %v, want %v", got, want)
	}
	figures := out.Series[0].Figures(out.Experiment.Metrics[0])
	if got := measure.Median(figures); got != 73 {
		t.Errorf("the slow one takes %v ns, want 73", got)
	}
}

// The reason for taking ratios within a round: the machine gets slower and
// faster by a factor of ten, so that no figure means much, and the ratio holds.
func TestRatioHoldsOnAMachineThatChangesItsSpeed(t *testing.T) {
	clock := newFakeClock()
	p := plan(clock, 31)
	p.Progress = func(_ string, round int) { clock.slowdown = 1 + 9*math.Abs(math.Sin(float64(round))) }
	out := p.Run(t.Context(), experiment(
		costs(clock, "slow", 80*time.Nanosecond), costs(clock, "fast", 40*time.Nanosecond)))
	if got := ratio(t, out, "slow", "fast"); math.Abs(got-2) > 1e-3 {
		t.Errorf("the ratio is %v, want 2", got)
	}
	figures := out.Series[0].Figures(out.Experiment.Metrics[0])
	if measure.P99(figures) < 3*measure.Min(figures) {
		t.Error("the machine was not disturbed, so nothing was tested")
	}
}

func TestSamplesLastAsPlanned(t *testing.T) {
	for _, d := range []time.Duration{1, 3, 250, 40 * time.Microsecond, 5 * time.Millisecond} {
		clock := newFakeClock()
		out := plan(clock, 1).Run(t.Context(), experiment(costs(clock, "A", d)))
		r := out.Series[0].Readings[0]
		if d < time.Millisecond && (r.Elapsed < 900*time.Microsecond || r.Elapsed > 1100*time.Microsecond) {
			t.Errorf("an operation of %v: the sample lasts %v, want about 1ms", d, r.Elapsed)
		}
		if d > time.Millisecond && r.Ops != 1 {
			t.Errorf("an operation of %v is done %d times a sample, want once", d, r.Ops)
		}
	}
}

// A disturbance of any length during the calibration must not make the samples
// of all rounds too short.
func TestDisturbanceDoesNotSpoilTheCalibration(t *testing.T) {
	for _, pause := range []time.Duration{400 * time.Microsecond, 4 * time.Millisecond, time.Second} {
		for disturbed := range 6 { // which sample is
			clock := newFakeClock()
			sample := 0
			out := plan(clock, 1).Run(t.Context(), experiment(measure.Variant{Name: "A", Open: opens(measure.Loop(func(n int) error {
				if sample == disturbed {
					clock.work(pause)
				}
				sample++
				clock.work(time.Duration(n) * 100)
				return nil
			}, nil))}))
			if r := out.Series[0].Readings[0]; r.Ops < 5000 || r.Ops > 15000 {
				t.Errorf("after a pause of %v in sample %d there are %d operations a sample, want about 10000",
					pause, disturbed, r.Ops)
			}
		}
	}
}

// On a busy machine each sample of full length is disturbed: after 4 ms of work, others
// have the CPU for 12 ms. Equal variants must get equal numbers of operations anyway.
func TestBusyMachineDoesNotSpoilTheCalibration(t *testing.T) {
	const cost, slice, pause = 100 * time.Nanosecond, 4 * time.Millisecond, 12 * time.Millisecond
	clock, left := newFakeClock(), slice
	busy := func(name string) measure.Variant {
		return measure.Variant{Name: name, Open: opens(measure.Loop(func(n int) error {
			work := time.Duration(n) * cost
			for ; work >= left; left = slice {
				clock.work(left + pause)
				work -= left
			}
			left -= work
			clock.work(work)
			return nil
		}, nil))}
	}
	p := plan(clock, 3)
	p.Sample = 10 * time.Millisecond
	out := p.Run(t.Context(), experiment(busy("A"), busy("B"), busy("C"), busy("D"), busy("E")))
	for _, s := range out.Series {
		if ops := s.Readings[0].Ops; ops < 95_000 || ops > 105_000 {
			t.Errorf("%s has %d operations a sample, want 100000", s.Variant.Name, ops)
		}
	}
}

func TestOperationWithoutDurationEndsTheCalibration(t *testing.T) {
	clock := newFakeClock()
	out := plan(clock, 2).Run(t.Context(), experiment(costs(clock, "A", 0), costs(clock, "B", 1)))
	if got := counts(out); got != "A:2 B:2 " {
		t.Error(got)
	}
	if _, ok := (measure.Ratio{Of: "B", To: "A"}).Value(out); ok {
		t.Error("there is a ratio to something that takes no time")
	}
}

func TestUnitsDivideTheFigure(t *testing.T) {
	clock := newFakeClock()
	v := costs(clock, "A", 90)
	v.Units = 2
	out := plan(clock, 1).Run(t.Context(), experiment(v))
	if got := out.Series[0].Figures(out.Experiment.Metrics[0])[0]; got != 45 {
		t.Errorf("a round trip of 90 ns is %v ns one way, want 45", got)
	}
}

func TestVariantMayFixItsOperationsAndTheExperimentItsRounds(t *testing.T) {
	clock := newFakeClock()
	var samples []int
	v := measure.Variant{Name: "costly", Ops: 1000, Open: opens(measure.Loop(func(n int) error {
		samples = append(samples, n)
		clock.work(time.Duration(n) * time.Millisecond)
		return nil
	}, nil))}
	e := experiment(v)
	for rounds, want := range map[int][]int{
		0: {1000, 1000, 1000, 1000, 1000}, // as many as planned
		2: {1000, 1000},
		9: {1000, 1000, 1000, 1000, 1000},
	} {
		e.Rounds, samples = rounds, nil
		p := plan(clock, 5)
		if rounds == 2 {
			s := p
			e.Long, s.Thorough = 4, true
			if s.RoundsOf(e) != 4 {
				t.Errorf("a thorough run has %d rounds, want 4", s.RoundsOf(e))
			}
		}
		p.Run(t.Context(), e)
		if !slices.Equal(samples, want) || p.RoundsOf(e) != len(want) {
			t.Errorf("at most %d rounds: samples %v of %d rounds, want %v", rounds, samples, p.RoundsOf(e), want)
		}
	}
}

func TestFurtherMetricsHaveFiguresAndRatios(t *testing.T) {
	reads := func(name string, maps float64) measure.Series {
		return measure.Series{
			Variant:  measure.Variant{Name: name},
			Readings: []measure.Reading{{Ops: 1, Elapsed: 10, Further: map[string]float64{"maps": maps}}},
		}
	}
	e := experiment()
	e.Metrics = append(e.Metrics, measure.Further("maps", "maps"))
	out := measure.Outcome{Experiment: e, Series: []measure.Series{reads("A", 12), reads("B", 4)}}
	for metric, want := range map[string]float64{"": 1, "ns_per_op": 1, "maps": 3} {
		r := measure.Ratio{Of: "A", To: "B", Metric: metric}
		if got, ok := r.Value(out); got != want || !ok {
			t.Errorf("by the metric %q, A : B is %v, want %v", metric, got, want)
		}
	}
}

func TestLabelIsTheNameOfARatio(t *testing.T) {
	r := measure.Ratio{Of: "A", To: "B"}
	if r.Name() != "A : B" {
		t.Errorf("without a label it is called %q", r.Name())
	}
	if r.Label = "A next : B next"; r.Name() != r.Label {
		t.Errorf("with a label it is called %q", r.Name())
	}
}

func TestUnavailableVariantIsLeftOut(t *testing.T) {
	clock := newFakeClock()
	absent := measure.Variant{Name: "absent", Open: func(context.Context) (measure.Sampler, error) {
		return nil, measure.Unavailablef("no %s here", "such thing")
	}}
	out := plan(clock, 3).Run(t.Context(), experiment(costs(clock, "A", 5), absent, costs(clock, "B", 5)))
	if got, want := counts(out), "A:3 absent:0(no such thing here) B:3 "; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, ok := (measure.Ratio{Of: "A", To: "absent"}).Value(out); ok {
		t.Error("there is a ratio to a variant without figures")
	}
}

func TestFailingVariantKeepsItsRoundsAndSparesTheOthers(t *testing.T) {
	clock := newFakeClock()
	// The operation fills a sample, so three samples calibrate and one warms up.
	const d, before = 1 * time.Millisecond, 3 + 1
	out := plan(clock, 5).Run(t.Context(), experiment(
		costs(clock, "A", d),
		breaksAfter(clock, "breaks", d, before+3, func() error { return errBroken }),
		breaksAfter(clock, "panics", d, before+2, func() error { panic("oh") }),
		breaksAfter(clock, "never", d, 0, func() error { return errBroken }),
		costs(clock, "B", d)))
	want := "A:5 breaks:3(failed after 3 rounds: broken) panics:2(failed after 2 rounds: panic: oh) " +
		"never:0(it failed: broken) B:5 "
	if got := counts(out); got != want {
		t.Errorf("got  %q,\nwant %q", got, want)
	}
	if got := ratio(t, out, "breaks", "A"); got != 1 {
		t.Errorf("the ratio of the rounds that both have is %v, want 1", got)
	}
}

func TestImpossibleReadingIsAFailure(t *testing.T) {
	clock := newFakeClock()
	liar := measure.Variant{Name: "liar", Open: opens(reading{-1})}
	out := plan(clock, 1).Run(t.Context(), experiment(liar))
	if got := counts(out); !strings.HasPrefix(got, "liar:0(it failed: impossible reading") {
		t.Error(got)
	}
}

type reading struct{ elapsed time.Duration }

func (r reading) Sample(_ context.Context, _ measure.Clock, n int) (measure.Reading, error) {
	return measure.Reading{Ops: n, Elapsed: r.elapsed}, nil
}
func (reading) Close() error { return nil }

func TestInterruptKeepsWhatWasMeasured(t *testing.T) {
	clock := newFakeClock()
	ctx, cancel := context.WithCancel(t.Context())
	const d, before = time.Millisecond, 3 + 1
	// B is interrupted in round 3, and its sampler says so by an error.
	out := plan(clock, 9).Run(ctx, experiment(
		costs(clock, "A", d),
		breaksAfter(clock, "B", d, before+2, func() error { cancel(); return ctx.Err() }),
		costs(clock, "C", d)))
	if got := counts(out); got != "A:3 B:2 C:2 " {
		t.Error(got)
	}
	if !out.Interrupted {
		t.Error("the outcome does not say that it was interrupted")
	}
}

func TestEverySamplerIsClosedOnce(t *testing.T) {
	clock := newFakeClock()
	closed := map[string]int{}
	variant := func(name string, fail bool) measure.Variant {
		return measure.Variant{Name: name, Open: opens(measure.Loop(func(n int) error {
			clock.work(time.Duration(n))
			if fail {
				return errBroken
			}
			return nil
		}, func() error { closed[name]++; return nil }))}
	}
	plan(clock, 2).Run(t.Context(), experiment(variant("good", false), variant("bad", true)))
	if closed["good"] != 1 || closed["bad"] != 1 {
		t.Errorf("closed so many times: %v, want once each", closed)
	}
}

func TestProgressIsToldOfEachRound(t *testing.T) {
	clock := newFakeClock()
	var rounds []int
	p := plan(clock, 3)
	p.Progress = func(_ string, round int) { rounds = append(rounds, round) }
	p.Run(t.Context(), experiment(costs(clock, "A", 1)))
	if want := []int{0, 1, 2, 3}; !slices.Equal(rounds, want) {
		t.Errorf("told of rounds %v, want %v", rounds, want)
	}
}

func TestMonotonicClockNeverGoesBackwards(t *testing.T) {
	clock := measure.NewClock()
	last := clock.Now()
	for range 1000 {
		now := clock.Now()
		if now < last {
			t.Fatalf("%v came after %v", now, last)
		}
		last = now
		runtime.Gosched()
	}
}

func ratio(t *testing.T, o measure.Outcome, of, to string) float64 {
	t.Helper()
	v, ok := measure.Ratio{Of: of, To: to}.Value(o)
	if !ok {
		t.Fatalf("there is no ratio of %s to %s in %s", of, to, counts(o))
	}
	return v
}

func TestBriefPlanTakesFewerOperationsWhereThereIsANumber(t *testing.T) {
	for brief, want := range map[bool][2]int{false: {100, 100}, true: {10, 100}} {
		var got [2][]int
		variant := func(i, fewer int) measure.Variant {
			return measure.Variant{Name: fmt.Sprint(i), Ops: 100, Fewer: fewer, Open: func(context.Context) (measure.Sampler, error) {
				return measure.Loop(func(n int) error { got[i] = append(got[i], n); return nil }, nil), nil
			}}
		}
		p := measure.Plan{Rounds: 2, Sample: time.Millisecond, Clock: measure.NewClock(), Brief: brief}
		p.Run(t.Context(), measure.Experiment{
			Metrics: []measure.Metric{measure.Nanoseconds("ns")}, Variants: []measure.Variant{variant(0, 10), variant(1, 0)},
		})
		for i := range got {
			if !slices.Equal(got[i], []int{want[i], want[i]}) {
				t.Errorf("brief %v: variant %d has samples of %v operations", brief, i, got[i])
			}
		}
	}
}
