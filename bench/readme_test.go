package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"greenthread/bench/internal/exp"
	"greenthread/bench/internal/measure"
	"greenthread/bench/internal/report"
)

// README.md shows figures and plots of a result that is kept:
//
//	go run ./bench run all -long -save docs/results/epyc-2cpu
//	go test ./bench -run README -update
var update = flag.Bool("update", false, "write the figures of the kept result into README.md anew")

const (
	root = ".."
	kept = "docs/results/epyc-2cpu"

	begin = "<!-- results:begin -->\n"
	end   = "<!-- results:end -->\n"
)

// shown are the figures in README.md: in each line a metric of some variants, or a ratio.
var shown = []struct{ what, experiment, metric, names string }{
	{"make and join one thread, ns", "create", "ns_per_op", "green/pooled green/fresh goroutine clone/pooled pthread ucontext/pooled ucontext/fresh"},
	{"one switch, ns", "switch", "ns_per_switch", "coroutine thread iter.Pull gosched ucontext boost"},
	{"through a channel and back, ns", "chan", "ns_per_roundtrip", "green goroutine"},
	{"a thread of a burst of 10,000, ns", "spawn", "ns_per_op", "green/10000 goroutine/10000 clone/10000 pthread/10000"},
	{"wake another and be woken, ns", "wake", "ns_per_roundtrip", "green/one/1cpu channel/1cpu parker/1cpu/2p futex/c/1cpu"},
	{"10,000 sleepers: late by, ns", "sleep", "late_p50_ns", "green goroutine"},
	{"memory of each of a million, bytes", "scale", "rss_bytes_per_thread", "green/1000000 goroutine/1000000"},
	{"a full collection with a million, ms", "scale", "gc_ms", "green/1000000 goroutine/1000000"},
	{"skynet: a million in a tree, ms", "skynet", "wall_ms", "green goroutine"},
	{"no stack cache, times as long", "stackcache", "", "churn/unmap : churn/decay"},
	{"guard: orders of mmap and mprotect, times as long", "guard", "", "rw_then_none : none_then_rw"},
	{"futex: private and shared, times as many rounds", "futex", "", "private : shared, rounds"},
}

// drawn are the plots in README.md.
var drawn = []string{"create-ns_per_op", "scale-rss_bytes_per_thread"}

func TestREADMEShowsTheKeptResult(t *testing.T) {
	want, err := showKept()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(root, "README.md")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	got, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("README.md has no place for results: %s...%s", begin, end)
	}
	if *update {
		if err := os.WriteFile(file, []byte(before+begin+want+end+after), 0o666); err != nil {
			t.Fatal(err)
		}
		got = want
	}
	if got != want {
		t.Errorf("README.md shows\n%s\nand %s has\n%s\n(go test ./bench -run README -update writes it anew)", got, kept, want)
	}
}

// Whatever of the results is linked to must be there.
func TestREADMELinksToResultsThatExist(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]+)\)`)
	links := 0
	for _, name := range []string{"README.md", "docs/results/README.md"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			target := filepath.Join(root, filepath.Dir(name), m[1])
			if !strings.Contains(target, "results") {
				continue
			}
			links++
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if links == 0 {
		t.Error("there are no links")
	}
}

// A kept result is for the world: it tells of the machine what figures depend on, and
// nothing else.
func TestKeptResultNamesNoHostAndNoPath(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	own := []string{os.TempDir() + "/", "/home/", "/root/", "/usr/", filepath.Dir(filepath.Dir(here))}
	if len(host) > 4 { // a shorter name may be part of any word
		own = append(own, host)
	}
	dir := t.TempDir()
	if _, stderr, status := outputOf(t, bench(t, "run", "-quick", "-rounds", "1", "check", "create", "switch", "skynet", "scale/green/1000", "-save", dir)); status != 0 {
		t.Fatal(stderr)
	}
	for _, pattern := range []string{filepath.Join(dir, "*"), filepath.Join(root, kept, "*")} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range own {
				if at := strings.Index(string(text), s); at >= 0 {
					t.Errorf("%s: %q", f, text[max(0, at-50):min(len(text), at+100)])
				}
			}
		}
	}
}

// showKept renders the part of README.md.
func showKept() (string, error) {
	f, err := os.Open(filepath.Join(root, kept, "result.json"))
	if errors.Is(err, os.ErrNotExist) {
		return "\nNo result is kept yet.\n\n", nil
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	stored, err := report.ReadJSON(f)
	if err != nil {
		return "", fmt.Errorf("%s: %w", kept, err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s, %d CPUs, %s, %s, %s:\n\n", stored.Env.CPU, stored.Env.CPUs, stored.Env.Kernel, stored.Env.Go, stored.Env.Time.Format(time.DateOnly))
	b.WriteString("| | | median | 95% interval | published |\n|---|---|---|---|---|\n")
	for _, line := range shown {
		what := line.what
		names := strings.Fields(line.names)
		if line.metric == "" {
			names = []string{line.names}
		}
		for _, name := range names {
			summary, published, ok := figure(stored, line.experiment, line.metric, name)
			if !ok {
				continue
			}
			interval, other := "", ""
			if summary.Bounded() {
				interval = report.Number(summary.Lo) + " to " + report.Number(summary.Hi)
			}
			if published != 0 {
				other = report.Number(published)
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", what, name, report.Number(summary.Median), interval, other)
			what = ""
		}
	}
	fmt.Fprintln(&b)
	for _, d := range drawn {
		fmt.Fprintf(&b, "![%s](%s/%s.svg)\n", strings.ReplaceAll(d, "-", ": "), kept, d)
	}
	fmt.Fprintf(&b, "\nAll of it: [the table](%s/result.txt), and [one page](%s/report.html) with every plot.\n\n", kept, kept)
	return b.String(), nil
}

// figure finds a figure of a variant or, without a metric, a ratio, and what somebody
// else has published.
func figure(s *report.Stored, experiment, metric, name string) (summary measure.Summary, published float64, ok bool) {
	menu := exp.Menu(nil)
	e := menu[slices.IndexFunc(menu, func(e measure.Experiment) bool { return e.Name == experiment })]
	if metric == "" {
		for _, r := range e.Ratios {
			if r.Name() == name {
				published = r.Published
			}
		}
		for _, r := range s.Ratios {
			if r.Experiment == experiment && r.Name == name {
				return r.Summary, published, true
			}
		}
		return summary, 0, false
	}
	for _, v := range e.Variants {
		if v.Name == name && metric == e.Metrics[0].Name {
			published = v.Published
		}
	}
	for _, r := range s.Results {
		if r.Experiment == experiment && r.Variant == name && r.Metric == metric {
			return r.Summary, published, true
		}
	}
	return summary, 0, false
}

// The figures that README.md shows are on the menu.
func TestREADMEShowsFiguresThatThereAre(t *testing.T) {
	for _, line := range shown {
		picked, err := exp.Pick(exp.Thorough(exp.Menu(nil)), line.experiment)
		if err != nil {
			t.Fatal(err)
		}
		e := picked[0]
		if line.metric == "" {
			if !slices.ContainsFunc(e.Ratios, func(r measure.Ratio) bool { return r.Name() == line.names }) {
				t.Errorf("%s has no ratio %s", e.Name, line.names)
			}
			continue
		}
		if !slices.ContainsFunc(e.Metrics, func(m measure.Metric) bool { return m.Name == line.metric }) {
			t.Errorf("%s has no metric %s", e.Name, line.metric)
		}
		for _, name := range strings.Fields(line.names) {
			if !slices.ContainsFunc(e.Variants, func(v measure.Variant) bool { return v.Name == name }) {
				t.Errorf("%s has no variant %s", e.Name, name)
			}
		}
	}
}
