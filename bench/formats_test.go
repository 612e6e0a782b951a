package main

import (
	"bytes"
	"encoding/csv"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/perf/benchfmt"

	"greenthread/bench/internal/browsertest"
	"greenthread/bench/internal/report"
)

// What is really measured, not only what the tests of the formats make up, must be
// readable in each format.
func TestSavedResultIsReadableInEachFormat(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	_, stderr, status := outputOf(t, bench(t, "run", "-quick", "-rounds", "7", "check", "create/goroutine", "create/pthread", "thp/1M/never", "thp/1M/default", "-save", dir, "-plot", dir))
	if status != 0 || stderr != "" {
		t.Fatalf("status %d, stderr %q", status, stderr)
	}
	read := func(name string) []byte {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}

	schema, err := jsonschema.UnmarshalJSON(strings.NewReader(report.Schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("schema.json", schema); err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(read("result.json")))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.MustCompile("schema.json").Validate(document); err != nil {
		t.Error(err)
	}

	rows, err := csv.NewReader(bytes.NewReader(read("result.csv"))).ReadAll()
	if err != nil || len(rows) < 50 {
		t.Errorf("%d rows of CSV, %v", len(rows), err)
	}

	lines := 0
	for r := benchfmt.NewReader(bytes.NewReader(read("result.bench")), "result.bench"); r.Scan(); {
		switch rec := r.Result().(type) {
		case *benchfmt.Result:
			lines++
		case *benchfmt.SyntaxError:
			t.Error(rec)
		}
	}
	if lines < 4*7 {
		t.Errorf("%d results for benchstat", lines)
	}

	files, err := filepath.Glob(filepath.Join(dir, "*.png"))
	if err != nil || len(files) < 5 {
		t.Errorf("the plots are %v, %v", files, err)
	}
	for _, f := range files {
		if _, err := png.Decode(bytes.NewReader(read(filepath.Base(f)))); err != nil {
			t.Errorf("%s: %v", f, err)
		}
	}
}

// Each kind of plot, of what was really measured.
func TestBrowserDrawsEachPlotOfAResult(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.html")
	_, stderr, status := outputOf(t, bench(t, "run", "-quick", "-rounds", "2", "check", "create/native", "create/goroutine", "thp/1M/default", "thp/1M/never",
		"scale/goroutine/1000", "scale/goroutine/10000", "sleep/goroutine", "stackcache/createjoin/keep", "stackcache/createjoin/lazy", "-html", file))
	if status != 0 || stderr != "" {
		t.Fatalf("status %d, stderr %q", status, stderr)
	}
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if n := browsertest.CheckPlots(t, string(page)); n < 20 {
		t.Errorf("there are %d plots", n)
	}
}

// The program benchstat itself, of the version in go.mod, reads two results of bench.
func TestBenchstatComparesTwoResults(t *testing.T) {
	goCommand, err := exec.LookPath("go")
	if err != nil {
		t.Skip("needs the go command to run benchstat: ", err)
	}
	dir := t.TempDir()
	var files []string
	for _, name := range []string{"a", "b"} {
		file := filepath.Join(dir, name)
		_, stderr, status := outputOf(t, bench(t, "run", "-quick", "-rounds", "7", "check", "thp/1M/default", "wake/channel/1cpu", "-format", "benchfmt", "-o", file))
		if status != 0 || stderr != "" {
			t.Fatalf("status %d, stderr %q", status, stderr)
		}
		files = append(files, file)
	}
	stdout, stderr, status := outputOf(t, exec.CommandContext(t.Context(), goCommand, append([]string{"tool", "benchstat"}, files...)...))
	if status != 0 || stderr != "" {
		t.Fatalf("status %d, stderr %q", status, stderr)
	}
	for _, want := range []string{"Check/once", "Check/5%more", "Wake/channel/1cpu", "sec/op", "sec/roundtrip", "p50-sec", "n=7)"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not in what benchstat says:\n%s", want, stdout)
		}
	}
}
