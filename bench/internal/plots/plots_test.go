package plots

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"greenthread/bench/internal/measure"
	"greenthread/bench/internal/report"
)

var update = flag.Bool("update", false, "write the golden files anew")

// texts returns all text in an SVG, which must be well-formed.
func texts(t *testing.T, svg []byte) []string {
	t.Helper()
	var out []string
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		if chars, ok := token.(xml.CharData); ok && strings.TrimSpace(string(chars)) != "" {
			out = append(out, string(chars))
		}
	}
}

func plotNamed(t *testing.T, name string) Plot {
	t.Helper()
	for _, p := range Of(fakeDocument()) {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("there is no plot %s", name)
	return Plot{}
}

func TestPlotsFitTheExperiment(t *testing.T) {
	var names []string
	for _, p := range Of(fakeDocument()) {
		names = append(names, p.Name)
		if further := p.Name == "scale-gc_ms"; p.Further != further {
			t.Errorf("%s: is it of a further metric? %v", p.Name, p.Further)
		}
	}
	want := []string{"create-ns_per_op", "create-ratios", "create-distribution", "scale-rss", "scale-gc_ms"}
	if !slices.Equal(names, want) {
		t.Errorf("the plots are %v, want %v", names, want)
	}
}

func TestEachPlotIsDrawnInBothFormats(t *testing.T) {
	for _, p := range Of(fakeDocument()) {
		svg, err := p.SVG()
		if err != nil {
			t.Fatal(err)
		}
		if got := texts(t, svg); !strings.Contains(strings.Join(got, "\n"), "Imaginary CPU, 2 CPUs, go1.26.0, 0123456789ab+changes, 2026-01-02") {
			t.Errorf("%s does not say where it was measured: %v", p.Name, got)
		}
		data, err := p.PNG()
		if err != nil {
			t.Fatal(err)
		}
		picture, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		colours := map[[4]uint32]bool{}
		for y := picture.Bounds().Min.Y; y < picture.Bounds().Max.Y; y += 3 {
			for x := picture.Bounds().Min.X; x < picture.Bounds().Max.X; x += 3 {
				r, g, b, a := picture.At(x, y).RGBA()
				colours[[4]uint32{r, g, b, a}] = true
			}
		}
		if w := picture.Bounds().Dx(); w < 1600 || len(colours) < 20 {
			t.Errorf("%s is %d dots wide and has %d colours", p.Name, w, len(colours))
		}
	}
}

func TestFiguresStandBesideTheirBars(t *testing.T) {
	svg, err := plotNamed(t, "create-ns_per_op").SVG()
	if err != nil {
		t.Fatal(err)
	}
	got := texts(t, svg)
	for _, want := range []string{
		"create: one thread <made> & joined", "green/pooled", "goroutine", "pthread", "greenthread", "Go",
		"14,020", "published", "published by others", "95% interval", "ns_per_op, logarithmic",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is not in the plot: %q", want, got)
		}
	}
	for _, r := range fakeDocument().Sections[0].Results {
		for _, want := range []string{report.Number(r.Median), report.Number(r.Lo) + " – " + report.Number(r.Hi)} {
			if !slices.Contains(got, want) {
				t.Errorf("%q is not in the plot: %q", want, got)
			}
		}
	}
}

func TestWithoutAnIntervalTheRangeIsShown(t *testing.T) {
	d := fakeDocument()
	d.Sections = []report.Section{{Experiment: "few", Results: []report.Result{result("x", "m", "", 100, 3)}}}
	svg, err := Of(d)[0].SVG()
	if err != nil {
		t.Fatal(err)
	}
	if got := texts(t, svg); !slices.Contains(got, "100 – 117") || !slices.Contains(got, "range of the rounds") {
		t.Errorf("the texts are %q", got)
	}
}

func TestRatiosReachToBothSidesOfOne(t *testing.T) {
	p := plotNamed(t, "create-ratios")
	if x := p.figure.plot.X; x.Min > 0.08 || x.Max < 100 {
		t.Errorf("the axis goes from %v to %v", x.Min, x.Max)
	}
}

func TestLinesAreSortedByTheirNumber(t *testing.T) {
	lines := linesOf(fakeDocument().Sections[1].Results[:4])
	if len(lines) != 1 || len(lines[0].points) != 4 || !slices.IsSortedFunc(lines[0].points, func(a, b point) int { return int(a.x - b.x) }) {
		t.Errorf("the lines are %+v", lines)
	}
	for _, variants := range [][]string{{"green/10", "goroutine/10"}, {"green/10", "green/x"}, {"10", "20"}, {"/10", "/20"}, {"g/-1", "g/-2"}} {
		var results []report.Result
		for _, v := range variants {
			results = append(results, result(v, "m", "", 1, 3))
		}
		if lines := linesOf(results); lines != nil {
			t.Errorf("%v make lines: %+v", variants, lines)
		}
	}
}

func TestDistributionNeedsTimesAndRounds(t *testing.T) {
	if _, ok := distribution([]string{"x"}, [][]float64{samples(10, leastPoints-1)}); ok {
		t.Error("few rounds make a curve")
	}
	names, many := make([]string, mostCurves+1), make([][]float64, mostCurves+1)
	for i := range many {
		many[i] = samples(10, 20)
	}
	if _, ok := distribution(names, many); ok {
		t.Errorf("%d curves are drawn into one plot", len(many))
	}
	d := fakeDocument()
	d.Sections = []report.Section{{Experiment: "memory", Results: []report.Result{result("x", "rss", "B", 10, 20)}}}
	if got := Of(d); len(got) != 1 {
		t.Errorf("of a size there are %d plots", len(got))
	}
}

func TestLatenciesAreDrawnTogetherOrForEachGroupOfVariants(t *testing.T) {
	draw := func(variants ...string) map[string]int {
		s := report.Section{Experiment: "cache", Title: "a cache"}
		for _, v := range variants {
			r := result(v, "calls", "", 5, 3)
			r.Latencies = samples(100, measure.LatencyPoints)
			s.Results = append(s.Results, r)
		}
		d := fakeDocument()
		d.Sections = []report.Section{s}
		curves := map[string]int{}
		for _, p := range Of(d) {
			if strings.Contains(p.Name, "latency") {
				curves[p.Name] = len(p.figure.legend)
			}
		}
		return curves
	}
	few := []string{"burst/keep", "burst/decay", "churn/keep", "alone"}
	if got := draw(few...); len(got) != 1 || got["cache-latency"] != 4 {
		t.Errorf("few variants: %v", got)
	}
	many := few
	for i := range mostCurves - len(few) + 1 {
		many = append(many, fmt.Sprintf("churn/%d-", i))
	}
	got := draw(many...)
	if len(got) != 3 || got["cache-latency-burst"] != 2 || got["cache-latency-churn"] != len(many)-3 || got["cache-latency"] != 1 {
		t.Errorf("many variants: %v", got)
	}
	if got := draw(); len(got) != 0 {
		t.Errorf("no variants: %v", got)
	}

	// Of these, the tails make fewer groups.
	var places []string
	for i := range mostCurves {
		places = append(places, fmt.Sprintf("way%d/1cpu", i), fmt.Sprintf("way%d/2cpus", i))
	}
	if got := draw(places...); len(got) != 2 || got["cache-latency-1cpu"] != mostCurves || got["cache-latency-2cpus"] != mostCurves {
		t.Errorf("ways and places: %v", got)
	}
}

// Whatever the figures are, something is drawn and nothing fails.
func TestOddFiguresAreDrawn(t *testing.T) {
	for _, xs := range [][]float64{{0, 0}, {0, 5}, {1e-9, 1e12}, {3, 3}, {1, 1.0001}, {-5, 3}, {1e300, 1}} {
		d := fakeDocument()
		s := report.Section{Experiment: "odd"}
		for _, x := range xs {
			s.Results = append(s.Results, result("v", "ns_per_op", "ns", x, 12))
			s.Ratios = append(s.Ratios, ratio("r", x, 0))
		}
		d.Sections = []report.Section{s}
		for _, p := range Of(d) {
			svg, err := p.SVG()
			if err != nil || bytes.Contains(svg, []byte("NaN")) || bytes.Contains(svg, []byte("Inf")) {
				t.Errorf("%v: %s is not drawn: %v", xs, p.Name, err)
			}
		}
	}
}

func TestFolderGetsAFileOfEachFormatForEachPlot(t *testing.T) {
	dir := t.TempDir()
	drawn := Of(fakeDocument())[:2]
	if err := WriteFolder(dir, drawn, SVG, PNG); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 2*len(drawn) {
		t.Errorf("%d files, %v", len(files), err)
	}
	if err := WriteFolder(filepath.Join(dir, "absent"), drawn, SVG); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the error is %v", err)
	}
}

func TestSVGIsAsInTheGoldenFiles(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("elsewhere the last digits may differ")
	}
	for _, p := range Of(fakeDocument()) {
		got, err := p.SVG()
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", p.Name+".svg")
		if *update {
			if err := os.WriteFile(path, got, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs from %s (go test -update writes it anew; look at it)", p.Name, path)
		}
	}
}

func TestAxesOfLinesHoldTheIntervals(t *testing.T) {
	wide := result("green/10", "ns", "ns", 100, 20)
	wide.Lo, wide.Hi = 1, 5000
	p := linePlot(linesOf([]report.Result{wide, result("green/100", "ns", "ns", 100, 20)})).plot
	if p.Y.Min > 1 || p.Y.Max < 5000 {
		t.Errorf("the axis goes from %v to %v", p.Y.Min, p.Y.Max)
	}
}

func TestLinesSeparateLargeGroupsOnly(t *testing.T) {
	list := func(names ...string) (out []bar) {
		for _, n := range names {
			for i := range 5 {
				out = append(out, bar{name: fmt.Sprintf("%s/%d-", n, i)})
			}
		}
		return out
	}
	if !(bars{list: list("a", "b", "c")}).grouped() {
		t.Error("three groups of five have no lines")
	}
	if (bars{list: list("a", "b")}).grouped() {
		t.Error("ten bars have lines")
	}
	var single []bar
	for i := range 20 {
		single = append(single, bar{name: fmt.Sprintf("x%d/y", i)})
	}
	if (bars{list: single}).grouped() {
		t.Error("groups of one have lines")
	}
}
