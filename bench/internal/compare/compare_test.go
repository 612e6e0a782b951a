package compare_test

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"greenthread/bench/internal/compare"
	"greenthread/bench/internal/measure"
	"greenthread/bench/internal/report"
)

var update = flag.Bool("update", false, "write the golden file anew")

// noise returns n samples around x with a tail to the right, as times have.
func noise(r *rand.Rand, x float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = x * (1 + 0.03*r.ExpFloat64())
	}
	return out
}

func result(variant, metric, unit string, samples []float64) report.Result {
	return report.Result{Experiment: "e", Variant: variant, Metric: metric, Unit: unit, Samples: samples, Summary: measure.Summarize(samples)}
}

func stored(results ...report.Result) *report.Stored { return &report.Stored{Results: results} }

// verdict compares two lists of samples.
func verdict(t *testing.T, a, b []float64) compare.Change {
	t.Helper()
	c, err := compare.Files(stored(result("v", "ns", "ns", a)), stored(result("v", "ns", "ns", b)))
	if err != nil {
		t.Fatal(err)
	}
	return c.Changes[0]
}

func TestSameSamplesAreNoChange(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	xs := noise(r, 100, 50)
	if c := verdict(t, xs, xs); c.Verdict != compare.Noise || c.Delta() != 0 {
		t.Errorf("%s by %v", c.Word(), c.Delta())
	}
	equal := []float64{5, 5, 5, 5, 5, 5, 5, 5}
	if c := verdict(t, equal, equal); c.Verdict != compare.Noise {
		t.Errorf("equal samples: %s", c.Word())
	}
}

// Of forty comparisons of two runs of the same program, with forty figures each, at
// most a few may name a change.
func TestRunsOfOneProgramDoNotDiffer(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	wrong := 0
	for range 40 {
		a, b := stored(), stored()
		for i := range 40 {
			name := fmt.Sprint("v", i)
			a.Results = append(a.Results, result(name, "ns", "ns", noise(r, 100, 30)))
			b.Results = append(b.Results, result(name, "ns", "ns", noise(r, 100, 30)))
		}
		c, err := compare.Files(a, b)
		if err != nil {
			t.Fatal(err)
		}
		if c.Changes[0].Verdict == compare.Changed {
			wrong++
		}
	}
	if wrong > 3 {
		t.Errorf("%d of 40 comparisons name a change", wrong)
	}
}

func TestChangeIsFoundAndNamed(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for factor, word := range map[float64]string{1.2: "slower", 0.8: "faster", 30: "slower"} {
		c := verdict(t, noise(r, 100, 50), noise(r, 100*factor, 50))
		if c.Verdict != compare.Changed || c.Word() != word || math.Abs(c.Delta()-(factor-1)) > 0.05*factor {
			t.Errorf("%v times as long: %v, %s by %v", factor, c.Verdict, c.Word(), c.Delta())
		}
	}
	c, err := compare.Files(stored(result("v", "maps", "maps", noise(r, 10, 50))), stored(result("v", "maps", "maps", noise(r, 20, 50))))
	if err != nil || c.Changes[0].Word() != "more" {
		t.Errorf("%v, %v", c.Changes, err)
	}
}

// A machine that gets slower in the middle of a run must not make the next run look
// like a change.
func TestDriftWithinARunMakesADifferenceDoubtful(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	drifting := append(noise(r, 100, 15), noise(r, 130, 35)...)
	if c := verdict(t, drifting, noise(r, 110, 50)); c.Verdict != compare.Doubtful || c.Wavers < 20 {
		t.Errorf("%v, wavers %v", c.Verdict, c.Wavers)
	}
	if c := verdict(t, noise(r, 110, 50), drifting); c.Verdict != compare.Doubtful || c.Word() != "slower?" {
		t.Errorf("the other way round: %v, %s", c.Verdict, c.Word())
	}
	if c := verdict(t, drifting, noise(r, 300, 50)); c.Verdict != compare.Changed {
		t.Errorf("a change that is greater than the drift: %v", c.Verdict)
	}
}

func TestTinyDifferenceIsDoubtful(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	steady := func(x float64) []float64 {
		out := noise(r, x, 200)
		for i := range out {
			out[i] = x + (out[i]-x)/10
		}
		return out
	}
	if c := verdict(t, steady(100), steady(102)); c.Verdict != compare.Doubtful || c.P > 1e-6 {
		t.Errorf("%v, p %v", c.Verdict, c.P)
	}
}

func TestFewRoundsAreToldFromNoise(t *testing.T) {
	if c := verdict(t, []float64{1, 2, 3}, []float64{100, 200, 300}); c.Verdict != compare.TooFewRounds {
		t.Errorf("3 rounds each: %v", c.Verdict)
	}
	if c := verdict(t, []float64{1, 2, 3, 4}, []float64{100, 200, 300, 400}); c.Verdict != compare.Changed {
		t.Errorf("4 rounds each: %v", c.Verdict)
	}
}

func TestWhatCannotBeComparedIsAnError(t *testing.T) {
	xs := []float64{1, 2, 3}
	a := stored(result("v", "ns", "ns", xs))
	if _, err := compare.Files(a, stored(result("w", "ns", "ns", xs))); err == nil || !strings.Contains(err.Error(), "no figure in common") {
		t.Errorf("without a common figure the error is %v", err)
	}
	if _, err := compare.Files(a, stored(result("v", "ns", "ms", xs))); err == nil || !strings.Contains(err.Error(), `"ns" in one file and "ms"`) {
		t.Errorf("with another unit the error is %v", err)
	}
}

// both returns two results with one of everything.
func both() (a, b *report.Stored) {
	r := rand.New(rand.NewPCG(11, 12))
	long := "a/variant/whose/name/is/too/long/for/the/column"
	ratio := func(x float64) report.RatioResult {
		xs := noise(r, x, 50)
		return report.RatioResult{Experiment: "e", Name: "one : two", Samples: xs, Summary: measure.Summarize(xs)}
	}
	a = stored(
		result("same", "ns", "ns", noise(r, 100, 50)), result("slower", "ns", "ns", noise(r, 100, 50)),
		result("tiny", "ns", "ns", noise(r, 100, 300)), result(long, "ns", "ns", noise(r, 100, 50)),
		result("few", "wall_ms", "ms", noise(r, 100, 2)), result("gone", "ns", "ns", noise(r, 100, 2)),
		result("slower", "allocs_per_op", "allocs", noise(r, 1, 50)), result("same", "allocs_per_op", "allocs", noise(r, 1e-6, 50)),
	)
	b = stored(
		result("same", "ns", "ns", noise(r, 100, 50)), result("slower", "ns", "ns", noise(r, 150, 50)),
		result("tiny", "ns", "ns", noise(r, 102, 300)), result(long, "ns", "ns", noise(r, 60, 50)),
		result("few", "wall_ms", "ms", noise(r, 300, 2)), result("new", "ns", "ns", noise(r, 100, 2)),
		result("slower", "allocs_per_op", "allocs", noise(r, 3, 50)), result("same", "allocs_per_op", "allocs", noise(r, 9e-6, 50)),
	)
	a.Ratios, b.Ratios = []report.RatioResult{ratio(2)}, []report.RatioResult{ratio(40)}
	a.Env.CPU, b.Env.CPU = "Imaginary CPU", "Another CPU"
	a.Env.Build.Revision, b.Env.Build.Revision = "0123", "4567"
	b.Interrupted = true
	b.Disturbed = map[string][]string{"e": {"other processes took 20% of the CPU time"}}
	return a, b
}

func TestTextIsAsInTheGoldenFile(t *testing.T) {
	a, b := both()
	c, err := compare.Files(a, b)
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := compare.WriteText(&got, c, "a.json", "b.json"); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "compare.txt")
	if *update {
		if err := os.WriteFile(path, got.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("got:\n%s\nwant:\n%s", &got, want)
	}
	for line := range strings.Lines(got.String()) {
		if utf8.RuneCountInString(line) > 101 {
			t.Errorf("wider than 100: %s", line)
		}
	}
}
