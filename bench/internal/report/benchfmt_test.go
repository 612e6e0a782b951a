package report_test

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchunit"

	"greenthread/bench/internal/report"
)

// readBenchfmt reads what was written as benchstat does: a line that it does not
// understand is an error.
func readBenchfmt(t *testing.T, text []byte) (results []*benchfmt.Result, units benchfmt.UnitMetadataMap) {
	t.Helper()
	r := benchfmt.NewReader(bytes.NewReader(text), "result")
	for r.Scan() {
		switch rec := r.Result().(type) {
		case *benchfmt.Result:
			results = append(results, rec.Clone())
		case *benchfmt.SyntaxError:
			t.Error(rec)
		}
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	return results, r.Units()
}

func TestBenchstatReadsWhatWasMeasured(t *testing.T) {
	d := fakeDocument(t.Context())
	d.Sections[1].Results[0].HigherIsBetter = true
	var b bytes.Buffer
	if err := report.WriteBenchfmt(&b, d); err != nil {
		t.Fatal(err)
	}
	got, units := readBenchfmt(t, b.Bytes())
	var names []string
	for _, r := range got {
		names = append(names, r.Name.String())
	}
	slow, trip := d.Sections[0].Results[0], d.Sections[1].Results[0]
	for i := range slow.Samples {
		r := got[i]
		want, _ := benchunit.Tidy(slow.Samples[i], "ns/op")
		if v, ok := r.Value("sec/op"); !ok || v != want || r.Name.String() != "Create/slow" || r.Iters != 1 {
			t.Errorf("line %d: %s with %d iterations takes %v, want %v", i, r.Name, r.Iters, v, want)
		}
		if _, ok := r.Value("allocs/op"); !ok {
			t.Errorf("line %d has no allocations", i)
		}
	}
	const deaths = 2
	if want := 2*len(slow.Samples) + deaths + len(trip.Samples); len(got) != want {
		t.Errorf("%d lines, want %d: %v", len(got), want, names)
	}
	if got[0].GetConfig("cpu") != d.Env.CPU || got[0].GetConfig("goos") != "linux" || got[0].GetConfig("pkg") != "greenthread/bench" {
		t.Errorf("the configuration is %v", got[0].Config)
	}
	// benchstat compares only what has the same configuration.
	if got[0].GetConfig("time") != "" || got[0].GetConfig("revision") != "" {
		t.Error("what differs from run to run keeps benchstat from comparing")
	}
	if better := units.GetBetter("sec/switch"); better != 1 {
		t.Errorf("benchstat takes %d for better", better)
	}
	if !slices.Contains(names, "Switch/round.trip") {
		t.Errorf("the names are %v", names)
	}
}

func TestBenchfmtNamesTheNumberOfPs(t *testing.T) {
	d := fakeDocument(t.Context())
	d.Env.Procs = 8
	var b bytes.Buffer
	if err := report.WriteBenchfmt(&b, d); err != nil {
		t.Fatal(err)
	}
	got, _ := readBenchfmt(t, b.Bytes())
	if name := got[0].Name.String(); name != "Create/slow-8" {
		t.Errorf("the name is %s", name)
	}
}

func TestBenchfmtOfAnInterruptedRunIsReadable(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var b bytes.Buffer
	if err := report.WriteBenchfmt(&b, fakeDocument(ctx)); err != nil {
		t.Fatal(err)
	}
	if got, _ := readBenchfmt(t, b.Bytes()); len(got) != 0 {
		t.Errorf("there are %d results", len(got))
	}
}
