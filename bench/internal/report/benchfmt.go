package report

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"golang.org/x/perf/benchfmt"
)

// WriteBenchfmt writes d in the format of Go's benchmarks, which benchstat reads:
// a line per variant and round, with all metrics of the variant.
//
//	BenchmarkCreate/green/pooled-2  360000  27.6 ns/op  0 allocs/op
//
// The name of a metric is its unit there, since units are what benchstat compares
// by: rss_bytes_per_thread. Those that Go has a name for are called by it. What is
// not to be compared by (the time, the revision, what a variant lacks) is in lines
// that begin with #, which readers of the format skip.
func WriteBenchfmt(w io.Writer, d Document) error {
	out := benchfmt.NewWriter(w)
	var err error
	write := func(r benchfmt.Record) {
		if err == nil {
			err = out.Write(r)
		}
	}
	comment := func(format string, args ...any) {
		if err == nil {
			_, err = fmt.Fprintf(w, "# "+format+"\n", args...)
		}
	}
	for _, f := range Facts(d.Env) {
		comment("%s: %s", f.Key, oneLine(f.Value))
	}

	better := map[string]bool{} // units said to be rates
	for _, s := range d.Sections {
		for _, r := range s.Results {
			if unit := benchUnit(r); r.HigherIsBetter && !better[unit] {
				better[unit] = true
				write(&benchfmt.UnitMetadata{
					UnitMetadataKey: benchfmt.UnitMetadataKey{Unit: unit, Key: "better"},
					OrigUnit:        unit,
					Value:           "higher",
				})
			}
		}
	}
	var config []benchfmt.Config // benchstat compares only what has all this in common
	for _, f := range []Fact{{"goos", d.Env.OS}, {"goarch", d.Env.Arch}, {"pkg", d.Env.Build.Module + "/bench"}, {"cpu", d.Env.CPU}} {
		config = append(config, benchfmt.Config{Key: f.Key, Value: []byte(oneLine(f.Value)), File: true})
	}
	for _, s := range d.Sections {
		for _, lines := range byVariant(s) {
			for round := range lines[0].Samples {
				result := &benchfmt.Result{
					Config: config,
					Name:   benchName(s.Experiment, lines[0].Variant, d.Env.Procs),
					Iters:  lines[0].Ops,
				}
				for _, r := range lines {
					result.Values = append(result.Values, benchfmt.Value{Value: r.Samples[round], Unit: benchUnit(r)})
				}
				write(result)
			}
		}
	}
	for _, s := range d.Sections {
		for _, n := range s.Notes {
			comment("%s/%s: %s", s.Experiment, n.Variant, oneLine(n.Text))
		}
		for _, text := range s.Disturbed {
			comment("%s: disturbed, %s", s.Experiment, text)
		}
	}
	if d.Interrupted() {
		comment("interrupted")
	}
	return err
}

// byVariant returns the results and counts of each variant, in their order.
func byVariant(s Section) [][]Result {
	var out [][]Result
	at := map[string]int{}
	for _, list := range [][]Result{s.Results, s.Counts} {
		for _, r := range list {
			i, ok := at[r.Variant]
			if !ok {
				i = len(out)
				at[r.Variant] = i
				out = append(out, nil)
			}
			out[i] = append(out[i], r)
		}
	}
	return out
}

// benchName makes the name of a benchmark: "create" and "green/pooled" on two Ps
// are Create/green/pooled-2.
func benchName(experiment, variant string, procs int) benchfmt.Name {
	runes := []rune(experiment)
	runes[0] = unicode.ToUpper(runes[0])
	name := string(runes) + "/" + variant
	if procs > 1 {
		name = fmt.Sprintf("%s-%d", name, procs)
	}
	return benchfmt.Name(name)
}

// benchUnit returns what the metric is called in Go's benchmarks. Of times benchstat knows
// that they are seconds, if they are written ns/switch, or p50-ns.
func benchUnit(r Result) string {
	if what, ok := strings.CutPrefix(r.Metric, "ns_per_"); ok {
		return "ns/" + what
	}
	if what, ok := strings.CutSuffix(r.Metric, "_ns"); ok {
		return what + "-ns"
	}
	if r.Metric == "allocs_per_op" {
		return "allocs/op"
	}
	return r.Metric
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
