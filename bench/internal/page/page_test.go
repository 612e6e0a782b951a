package page_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"greenthread/bench/internal/host"
	"greenthread/bench/internal/measure"
	"greenthread/bench/internal/page"
	"greenthread/bench/internal/plots"
	"greenthread/bench/internal/report"
)

var update = flag.Bool("update", false, "write the golden file anew")

func summary(x float64, n int) ([]float64, measure.Summary) {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = x * (1 + float64(i*7%n)/float64(4*n))
	}
	return xs, measure.Summarize(xs)
}

// fakeDocument has bars, ratios, a distribution, lines, notes, and names that a page
// must not take for its own.
func fakeDocument() report.Document {
	result := func(experiment, variant, metric, unit string, x float64, n int) report.Result {
		xs, s := summary(x, n)
		return report.Result{Experiment: experiment, Variant: variant, Metric: metric, Unit: unit, Samples: xs, Summary: s, Ops: 1}
	}
	xs, s := summary(7, 20)
	published := result("create", "pthread", "ns_per_op", "ns", 31234, 20)
	published.Published = 14020
	return report.Document{
		Env: report.Env{
			Time:    time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
			Machine: host.Machine{CPU: "Imaginary CPU <64> & more" + strings.Repeat(" of a long name", 5), CPUs: 2, List: "0-1", Procs: 2, OS: "linux", Arch: "amd64", Kernel: "Linux 6.18", THP: "never", Go: "go1.26.0"},
			Build:   host.Build{Module: "greenthread", Version: "v1", Revision: "0123abc", Flags: "CGO_ENABLED=1"},
			Backend: "native", CC: "cc", CXX: "c++", Rounds: 20, SampleMS: 10, Confidence: 0.95,
		},
		Sections: []report.Section{
			{
				Experiment: "create",
				Title:      "one thread",
				Help:       "create: one thread\n\nQUESTION\n  What does it\n  cost?\n\nMETHOD\n  None.\n",
				Results: []report.Result{
					result("create", "green/pooled", "ns_per_op", "ns", 27.5, 20),
					result("create", "ucontext/with/a/rather/long/name", "ns_per_op", "ns", 500, 20),
					published,
				},
				Counts: []report.Result{result("create", "green/pooled", "allocs_per_op", "allocs", 2, 20)},
				Ratios: []report.RatioResult{{Experiment: "create", Name: "pthread : green/pooled", Samples: xs, Summary: s, Published: 3}},
				Notes: []report.Note{
					{Variant: "<script>alert(1)</script>", Text: "not built & not found"},
					{Variant: "dies", Text: "failed after 2 rounds", Partial: true},
				},
				Disturbed: []string{"other processes took 10% of the CPU time"},
			},
			{
				Experiment: "scale",
				Title:      "many",
				Results: []report.Result{
					result("scale", "green/1000", "rss", "B", 8000, 3), result("scale", "green/1000", "gc_ms", "ms", 1, 3),
					result("scale", "green/100000", "rss", "B", 8100, 3), result("scale", "green/100000", "gc_ms", "ms", 90, 3),
				},
			},
			{Experiment: "none", Title: "nothing", Interrupted: true},
		},
	}
}

func write(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	if err := page.Write(&b, fakeDocument()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPageHoldsEverything(t *testing.T) {
	text := write(t)
	for _, want := range []string{
		"Imaginary CPU &lt;64&gt; &amp; more", "0123abc", "<p>What does it cost?</p>",
		"&lt;script&gt;alert(1)&lt;/script&gt;: left out, not built &amp; not found", "dies: failed after 2 rounds",
		"Disturbed: other processes took 10%", "This run was interrupted", "Nothing was measured.", "14,020",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the page", want)
		}
	}
	if got, want := strings.Count(text, "<svg "), len(plots.Of(fakeDocument())); got != want || want != 5 {
		t.Errorf("%d plots are in the page, %d were drawn, want 5", got, want)
	}
}

// What the page would have to fetch would be missing where it is sent to.
func TestPageNeedsNothingElse(t *testing.T) {
	text := write(t)
	for _, link := range regexp.MustCompile(`(?i)(src|href)\s*=\s*"?([^">\s]+)|url\(|@import|<script|<link|<iframe`).FindAllString(text, -1) {
		if !strings.HasPrefix(link, `href="#`) {
			t.Errorf("the page refers to %s", link)
		}
	}
}

var drawing = regexp.MustCompile(`(?s)<svg .*?</svg>`)

// The plots have golden files of their own.
func TestPageIsAsInTheGoldenFile(t *testing.T) {
	got := drawing.ReplaceAllString(write(t), "<svg></svg>")
	path := filepath.Join("testdata", "page.html")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got:\n%s\n(go test -update writes %s anew)", got, path)
	}
}
