package plots

import (
	"time"

	"greenthread/bench/internal/host"
	"greenthread/bench/internal/measure"
	"greenthread/bench/internal/report"
)

// samples returns n values around x, the same each time.
func samples(x float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = x * (1 + float64(i*7%n)/float64(4*n))
	}
	return out
}

func result(variant, metric, unit string, x float64, n int) report.Result {
	s := samples(x, n)
	return report.Result{Experiment: "e", Variant: variant, Metric: metric, Unit: unit, Samples: s, Summary: measure.Summarize(s), Ops: 1}
}

func ratio(name string, x, published float64) report.RatioResult {
	s := samples(x, 20)
	return report.RatioResult{Experiment: "e", Name: name, Samples: s, Summary: measure.Summarize(s), Published: published}
}

// fakeDocument has an experiment of bars, one of lines and one of nothing.
func fakeDocument() report.Document {
	pthread := result("pthread", "ns_per_op", "ns", 31234, 20)
	pthread.Published = 14020
	bars := report.Section{
		Experiment: "create",
		Title:      "one thread <made> & joined",
		Results: []report.Result{
			result("green/pooled", "ns_per_op", "ns", 27.5, 20),
			result("goroutine", "ns_per_op", "ns", 312, 20),
			pthread,
		},
		Ratios: []report.RatioResult{
			ratio("pthread : goroutine", 100, 3.5),
			ratio("green/pooled : goroutine", 0.09, 0),
		},
	}
	lines := report.Section{
		Experiment: "scale",
		Title:      "many",
		Results: []report.Result{
			result("green/1000000", "rss", "B", 8000, 3), result("green/1000000", "gc_ms", "ms", 900, 3),
			result("green/1000", "rss", "B", 8100, 3), result("green/1000", "gc_ms", "ms", 1, 3),
			result("goroutine/1000", "rss", "B", 2700, 3), result("goroutine/1000", "gc_ms", "ms", 0.5, 3),
		},
	}
	return report.Document{
		Env: report.Env{
			Time:    time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
			Machine: host.Machine{CPU: "Imaginary CPU", CPUs: 2, Go: "go1.26.0"},
			Build:   host.Build{Revision: "0123456789abcdef+changes"},
		},
		Sections: []report.Section{bars, lines, {Experiment: "none", Title: "nothing"}},
	}
}
