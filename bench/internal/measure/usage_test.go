package measure_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"greenthread/bench/internal/measure"
)

var kept [][]byte // on the heap, whatever the compiler thinks

func TestUsageCountsAllocationsAndCollections(t *testing.T) {
	const n = 1000
	kept = make([][]byte, 0, n)
	end := measure.CountUsage()
	for range n {
		kept = append(kept, make([]byte, 100))
	}
	runtime.GC()
	u := end()
	if !u.Go || u.Allocations < n || u.Allocations > n+500 || u.Collections < 1 {
		t.Errorf("after %d allocations and a collection: %+v", n, u)
	}
}

func TestCountingAllocatesNothingItself(t *testing.T) {
	for range 10 { // somebody else may allocate just then
		if u := measure.CountUsage()(); u.Allocations == 0 {
			return
		}
	}
	t.Errorf("without any work there are %d allocations", measure.CountUsage()().Allocations)
}

func TestUsageCountsFaultsAndWaits(t *testing.T) {
	end := measure.CountUsage()
	memory := make([]byte, 16<<20) // from the system, as yet untouched
	for i := 0; i < len(memory); i += 4096 {
		memory[i] = 1
	}
	kept = append(kept, memory)
	for range 5 {
		time.Sleep(time.Millisecond) // all threads are asleep for a while
	}
	u := end()
	kept = nil
	if !u.Kernel {
		t.Skip("this system tells no counts")
	}
	// With huge pages there are few faults, but there are some.
	if u.MinorFaults < 8 || u.Voluntary < 5 || u.Involuntary < 0 {
		t.Errorf("after touching 16 MiB and sleeping 5 times: %+v", u)
	}
}

// countingMeter counts a fixed amount for each sample.
type countingMeter struct{ measure.Usage }

func (m countingMeter) Count() func() measure.Usage         { return func() measure.Usage { return m.Usage } }
func (countingMeter) CPUTime() (t measure.CPUTime, ok bool) { return t, false }

func TestSamplesCarryTheirUsage(t *testing.T) {
	clock := newFakeClock()
	p := plan(clock, 2)
	p.Meter = countingMeter{measure.Usage{Go: true, Allocations: 50, Kernel: true, MinorFaults: 10}}
	own := measure.Usage{Kernel: true, MinorFaults: 20}
	sampler := func(r measure.Reading) func(context.Context) (measure.Sampler, error) { return opens(fixed{r}) }
	out := p.Run(t.Context(), experiment(
		measure.Variant{Name: "here", Open: sampler(measure.Reading{}), Ops: 10},
		measure.Variant{Name: "own", Open: sampler(measure.Reading{Usage: own}), Ops: 10},
		measure.Variant{Name: "elsewhere", Open: sampler(measure.Reading{Elsewhere: true}), Ops: 10},
		measure.Variant{Name: "peer", Open: sampler(measure.Reading{Elsewhere: true, Usage: own}), Ops: 10},
	))
	figure := func(variant int, metric string) []float64 {
		for _, m := range measure.Counts() {
			if m.Name == metric {
				return out.Series[variant].Figures(m)
			}
		}
		t.Fatalf("there is no metric %s", metric)
		return nil
	}
	for i, want := range []struct{ allocs, faults float64 }{{5, 1}, {-1, 2}, {-1, -1}, {-1, 2}} {
		for metric, want := range map[string]float64{"allocs_per_op": want.allocs, "minor_faults_per_op": want.faults} {
			got := figure(i, metric)
			if want < 0 && got != nil || want >= 0 && (len(got) != 2 || got[0] != want) {
				t.Errorf("%s: %s is %v, want %v (none if negative)", out.Series[i].Variant.Name, metric, got, want)
			}
		}
	}
}

// fixed returns the same reading each time.
type fixed struct{ r measure.Reading }

func (f fixed) Sample(_ context.Context, _ measure.Clock, n int) (measure.Reading, error) {
	f.r.Ops, f.r.Elapsed = n, time.Microsecond
	return f.r, nil
}
func (fixed) Close() error { return nil }
