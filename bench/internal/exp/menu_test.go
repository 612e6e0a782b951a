package exp

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"greenthread/bench/internal/measure"
)

// These names are fixed: figures of different days are compared by them.
func TestFixedNamesAreOnTheMenu(t *testing.T) {
	fixed := map[string]string{
		"create": "clone/fresh clone/pooled green/fresh green/pooled native/fresh native/pooled " +
			"goroutine pthread ucontext/fresh ucontext/pooled boost.fiber/fresh boost.fiber/pooled pth st",
		"yield": "green/2 green/10 green/1000 green/100000 gosched/2 gosched/10 gosched/1000 gosched/100000",
		"chan":  "green goroutine",
		"wake": "green/one/1cpu green/across/1cpu green/across/2cpus green/kernel/1cpu green/kernel/1cpu/2p green/kernel/2cpus parker/1cpu parker/1cpu/2p parker/2cpus " +
			"futex/1cpu futex/1cpu/2p futex/2cpus futex/c/1cpu futex/c/2cpus pthread/1cpu pthread/2cpus channel/1cpu channel/2cpus " +
			"channel/locked/1cpu channel/locked/1cpu/2p channel/locked/2cpus st/1cpu",
		"switch": "coroutine thread native iter.Pull gosched channel ucontext boost boost.fiber pth st",
		"spawn":  "green/1 green/100 green/1000 green/10000 foreign/1000 goroutine/1 goroutine/100 goroutine/1000 goroutine/10000 clone/1 clone/100 clone/1000 clone/10000",
		"scale":  "green/1000 green/10000 green/100000 green/1000000 goroutine/1000 goroutine/10000 goroutine/100000 goroutine/1000000",
		"skynet": "green goroutine",
		"futex":  "kernel/private kernel/shared kernel/fallback green kernel/private/1cpu kernel/shared/1cpu kernel/fallback/1cpu green/1cpu",
		"guard":  "rw_then_none none_then_rw madv_guard",
		"thp":    "1M/allowed 1M/default 1M/never 2M/allowed 2M/default 2M/never",
	}
	metrics := map[string]string{
		"create": "ns_per_op",
		"yield":  "ns_per_switch evenness_percent",
		"chan":   "ns_per_roundtrip",
		"sync":   "ns_per_op wait_p99_ns longest_wait_ns",
		"sleep":  "late_p50_ns late_p99_ns late_max_ns cpu_ns_per_sleep",
		"wake":   "ns_per_roundtrip p50_ns p99_ns",
		"switch": "ns_per_switch",
		"spawn":  "ns_per_op",
		"skynet": "wall_ms peak_mib",
		"scale":  "rss_bytes_per_thread maps page_table_bytes_per_thread spawn_ns gc_ms idle_cpu_percent",
		"futex":  "rounds_per_s broadcast_s",
		"guard":  "wall_s sys_s committed_kib maps minor_faults",
		"thp":    "rss_kib wall_ms",
	}
	for name, variants := range fixed {
		picked, err := Pick(Thorough(Menu(nil)), name)
		if err != nil {
			t.Fatal(err)
		}
		e := picked[0]
		for _, v := range strings.Fields(variants) {
			if !slices.Contains(variantNames(e.Variants), v) {
				t.Errorf("%s has no variant %s", name, v)
			}
		}
		var got []string
		for _, m := range e.Metrics {
			got = append(got, m.Name)
		}
		if strings.Join(got, " ") != metrics[name] {
			t.Errorf("the metrics of %s are %v, want %s", name, got, metrics[name])
		}
	}
}

func TestExperimentsAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range Menu(nil) {
		if seen[e.Name] || e.Title == "" || len(e.Metrics) == 0 || len(e.Variants) == 0 {
			t.Errorf("%s: its name is taken, or its title, metrics or variants are missing", e.Name)
		}
		seen[e.Name] = true
		names, metrics := variantNames(e.Variants), []string{""}
		for _, m := range e.Metrics {
			metrics = append(metrics, m.Name)
		}
		if slices.Sort(names); len(slices.Compact(names)) != len(e.Variants) {
			t.Errorf("%s: two variants have the same name", e.Name)
		}
		for _, r := range e.Ratios {
			if !slices.Contains(names, r.Of) || !slices.Contains(names, r.To) || r.Of == r.To || !slices.Contains(metrics, r.Metric) {
				t.Errorf("%s: there is no ratio %s", e.Name, r.Name())
			}
		}
	}
}

// parts are the headings of every page of help, in their order.
var parts = []string{"QUESTION", "METHOD", "PUBLISHED", "HOW TO READ IT", "WHAT CAN MISLEAD"}

func TestHelpHasEveryPart(t *testing.T) {
	for _, e := range Menu(nil) {
		rest, ok := strings.CutPrefix(e.Help, e.Name+": "+e.Title+"\n")
		if !ok {
			t.Errorf("%s: the page does not begin with the name and the title", e.Name)
		}
		texts := map[string]string{}
		for i, part := range parts {
			before, after, ok := strings.Cut(rest, "\n"+part+"\n")
			if !ok {
				t.Errorf("%s: the page has no part %s, or not in its place", e.Name, part)
				continue
			}
			if i > 0 {
				texts[parts[i-1]] = before
			}
			rest = after
		}
		texts[parts[len(parts)-1]] = rest
		for _, part := range parts {
			if len(strings.Fields(texts[part])) < 4 {
				t.Errorf("%s: the part %s says %q", e.Name, part, texts[part])
			}
		}
		if !strings.Contains(texts["QUESTION"], "?") {
			t.Errorf("%s: there is no question", e.Name)
		}
		// What the tables show as published has its source on the page: a year, or how
		// the experiment is built.
		source := regexp.MustCompile(`\b20\d\d\b|by\s+construction`)
		if publishes(e) != source.MatchString(texts["PUBLISHED"]) {
			t.Errorf("%s: figures are called published: %v; the page says of them\n%s", e.Name, publishes(e), texts["PUBLISHED"])
		}
	}
}

// publishes reports whether e repeats somebody's figures.
func publishes(e measure.Experiment) bool {
	return slices.ContainsFunc(e.Variants, func(v measure.Variant) bool { return v.Published != 0 }) ||
		slices.ContainsFunc(e.Ratios, func(r measure.Ratio) bool { return r.Published != 0 })
}

func TestHelpExplainsEachVariantAndMetricWithinTheWidthOfTheTable(t *testing.T) {
	for _, e := range Menu(nil) {
		for _, v := range e.Variants {
			if !strings.Contains(e.Help, "\n    "+v.Name+" ") {
				t.Errorf("%s: the page does not explain %s", e.Name, v.Name)
			}
		}
		for _, m := range e.Metrics {
			if len(e.Metrics) > 1 && !strings.Contains(e.Help, m.Name) {
				t.Errorf("%s: the page does not explain %s", e.Name, m.Name)
			}
		}
		for line := range strings.Lines(e.Help) {
			if len([]rune(line)) > 101 {
				t.Errorf("%s: a line is wider than 100: %s", e.Name, line)
			}
		}
	}
}

func TestHelpTellsHowManyRoundsThereAre(t *testing.T) {
	for _, e := range Menu(nil) {
		said := fmt.Sprintf("at most %d rounds of measurement (%d with -long)", e.Rounds, e.Long)
		if e.Rounds > 0 && (e.Long < measure.LeastForInterval || e.Long <= e.Rounds || !strings.Contains(e.Help, said)) {
			t.Errorf("%s: the page does not say %q, or these are too few", e.Name, said)
		}
		for _, v := range e.Variants {
			if v.Ops > 0 && (e.Rounds == 0 || v.Takes == 0) {
				t.Errorf("%s/%s: a sample of a number of operations says how long it takes, and limits the rounds", e.Name, v.Name)
			}
		}
	}
}

func TestPickTakesExperimentsAndVariantsInTheOrderOfTheMenu(t *testing.T) {
	for _, c := range []struct{ names, want string }{
		{"", ""},
		{"launch", "launch[green goroutine clone/pooled]"},
		{"launch launch", "launch[green goroutine clone/pooled]"},
		{"switch/boost create/ucontext/fresh create/clone/fresh", "create[clone/fresh ucontext/fresh] switch[boost]"},
		{"launch/green launch", "launch[green goroutine clone/pooled]"},
		{"launch launch/green", "launch[green goroutine clone/pooled]"},
		{"create/ucontext switch/native", "create[ucontext/fresh ucontext/pooled] switch[native]"},
		{"scale/coroutine", "scale[coroutine/1000 coroutine/10000 coroutine/100000]"},
	} {
		picked, err := Pick(Menu(nil), strings.Fields(c.names)...)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range picked {
			got = append(got, e.Name+"["+strings.Join(variantNames(e.Variants), " ")+"]")
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q picks %v, want %s", c.names, got, c.want)
		}
	}
	for _, names := range []string{"all", "launch/green all"} {
		picked, err := Pick(Menu(nil), strings.Fields(names)...)
		if err != nil || !slices.Equal(experimentNames(picked), experimentNames(Menu(nil))) {
			t.Fatalf("%q picks %d experiments, %v", names, len(picked), err)
		}
		for i, e := range Menu(nil) {
			if len(picked[i].Variants) != len(ordinary(e.Variants)) {
				t.Errorf("%q picks %d variants of %s", names, len(picked[i].Variants), e.Name)
			}
		}
	}
	if got := len(Menu(nil)[0].Variants); got != 14 {
		t.Errorf("picking has changed the menu: %d variants", got)
	}
}

func TestPickRefusesUnknownNamesAndSaysWhatThereIs(t *testing.T) {
	for name, hint := range map[string]string{
		"nope":          "create, switch, yield, chan, launch",
		"":              "create, switch, yield, chan, launch",
		"create/":       "create/clone/fresh",
		"create/nope":   "create/clone/fresh",
		"create/clon":   "create/clone/fresh",
		"create/clone/": "create/clone/fresh",
		"switch/create": "switch/coroutine",
	} {
		_, err := Pick(Menu(nil), "launch", name)
		var unknown *UnknownError
		if !errors.As(err, &unknown) || unknown.Name != name || !strings.Contains(err.Error(), hint) {
			t.Errorf("%q: the error is %v, want one that mentions %s", name, err, hint)
		}
	}
}

func TestShortSuiteIsWhatTakesSeconds(t *testing.T) {
	if got := experimentNames(Short(Menu(nil))); !slices.Equal(got, []string{"create", "switch", "chan", "launch", "wake"}) {
		t.Errorf("the short suite is %v", got)
	}
}

// noPeers has nothing to offer.
type noPeers struct{}

func (noPeers) Open(context.Context, string, string, ...int) (measure.Sampler, error) {
	return nil, measure.Unavailable("no peers in this test")
}
