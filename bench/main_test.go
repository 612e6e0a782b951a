package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"greenthread/bench/internal/exp"
)

// When this variable is set, the test binary is not a test but bench itself.
const mainVariable = "BENCH_BE_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(mainVariable) != "" {
		main()
	}
	os.Exit(m.Run())
}

// bench returns the command that runs bench in a process of its own.
func bench(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Env = append(os.Environ(), mainVariable+"=1", "GORACE=atexit_sleep_ms=0")
	return cmd
}

// outputOf runs bench and returns what it says, and its exit status.
func outputOf(t *testing.T, cmd *exec.Cmd) (stdout, stderr string, status int) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func TestNonsenseIsRefusedWithStatus2(t *testing.T) {
	for _, c := range []struct{ args, complaint string }{
		{"run nope", `unknown experiment "nope"; there are: create, switch`},
		{"run create nope", `unknown experiment "nope"`},
		{"run create/nope", `unknown experiment "create/nope"; there are: create/clone/fresh`},
		{"list nope", `unknown experiment "nope"`},
		{"help nope", `unknown experiment "nope"`},
		{"run", "expected"},
		{"nope", "unexpected argument nope"},
		{"run create -format xml", `"xml"`},
		{"run create --rounds=-1", "less than 1"},
		{"run create -rounds 0", "less than 1"},
		{"run create -rounds many", "many"},
		{"run create -quick -long", "can't be used together"},
		{"-no-such-flag", "unknown flag"},
		{"run create -cpu 1023", "may use"},
		{"run create -cpu 1024", "more than 1023"},
		{"run create -cpu 1-0", "ends before it begins"},
		{"-cpu=", "neither a CPU nor a range"},
		{"run create -o /no/such/folder/file", "cannot write the result"},
		{"run stackcache -trace /no/such/file", "no such file"},
		{"run stackcache -trace main_test.go", "main_test.go: "},
		{"run stackcache/trace", `unknown experiment "stackcache/trace"`},
		{"run create -trace testdata/trace", "nothing that was named plays a trace"},
		{"run stackcache/churn -trace testdata/trace", "nothing that was named plays a trace"},
	} {
		stdout, stderr, status := outputOf(t, bench(t, strings.Fields(c.args)...))
		if status != 2 || !strings.Contains(stderr, c.complaint) || stdout != "" {
			t.Errorf("bench %s: status %d, want 2; stderr %q, want %q in it; stdout %q, want nothing",
				c.args, status, stderr, c.complaint, stdout)
		}
	}
}

func TestListNamesEachVariantAsRunTakesIt(t *testing.T) {
	all := func(args ...string) map[string]bool {
		stdout, stderr, status := outputOf(t, bench(t, args...))
		if status != 0 || stderr != "" {
			t.Fatalf("status %d, stderr %q", status, stderr)
		}
		words := map[string]bool{}
		for _, w := range strings.Fields(stdout) {
			words[w] = true
		}
		return words
	}
	overview := all("list")
	for _, e := range exp.Menu(nil) {
		lines := all("list", e.Name)
		for _, v := range e.Variants {
			if !overview[v.Name] && !overview[v.Name+"*"] || !lines[e.Name+"/"+v.Name] {
				t.Errorf("%s/%s is not listed", e.Name, v.Name)
			}
		}
		if !overview[e.Name+":"] || len(lines) != len(e.Variants) {
			t.Errorf("%s is not listed, or its list has %d lines for %d variants", e.Name, len(lines), len(e.Variants))
		}
	}
}

func TestStackcachePlaysARecordedTrace(t *testing.T) {
	stdout, stderr, status := outputOf(t, bench(t, "run", "stackcache/trace/keep", "-trace", "testdata/trace", "-quick", "-rounds", "1"))
	if status != 0 || stderr != "" || !strings.Contains(stdout, "\n  trace/keep\n") {
		t.Errorf("status %d, stderr %q, text:\n%s", status, stderr, stdout)
	}
}

func TestHelpPrintsThePageOfAnExperiment(t *testing.T) {
	stdout, _, status := outputOf(t, bench(t, "help", "create"))
	if status != 0 || !strings.Contains(stdout, "14.02") {
		t.Errorf("status %d, page:\n%s", status, stdout)
	}
	stdout, _, status = outputOf(t, bench(t, "help"))
	for _, e := range exp.Menu(nil) {
		if status != 0 || !strings.Contains(stdout, "\n  "+e.Name+" ") {
			t.Errorf("status %d, %s is not among the pages:\n%s", status, e.Name, stdout)
		}
	}
	for _, args := range [][]string{{"run", "-help"}, {"help", "run"}} {
		stdout, _, status = outputOf(t, bench(t, args...))
		if status != 0 || !strings.Contains(stdout, "--format") {
			t.Errorf("%v: status %d, flags:\n%s", args, status, stdout)
		}
	}
}

func TestTextNeedsNoTerminal(t *testing.T) {
	stdout, stderr, status := outputOf(t, bench(t, "run", "-quick", "-rounds", "2", "switch/iter.Pull", "create/goroutine"))
	if status != 0 || stderr != "" {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
	for _, want := range []string{"cpu ", "2 rounds", "published", "  iter.Pull ", "  goroutine "} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not in the text:\n%s", want, stdout)
		}
	}
	if strings.ContainsAny(stdout, "\r\x1b") {
		t.Errorf("the text is made for a terminal: %q", stdout)
	}
}

func TestJSONGoesToAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "result.json")
	if err := os.WriteFile(file, bytes.Repeat([]byte("old "), 10000), 0o666); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, status := outputOf(t, bench(t, "run", "switch/iter.Pull", "switch/channel",
		"-quick", "-rounds=3", "-format=json", "-o", file))
	if status != 0 || stdout != "" || stderr != "" {
		t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Results []struct {
			Metric  string
			Samples []float64
		}
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	times := 0
	for _, r := range doc.Results {
		if r.Metric == "ns_per_switch" && len(r.Samples) == 3 {
			times++
		}
	}
	if times != 2 {
		t.Errorf("got %+v", doc)
	}
}

func TestRefusedRunLeavesTheOldResultAlone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "result.json")
	if err := os.WriteFile(file, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	outputOf(t, bench(t, "run", "nope", "-o", file))
	if text, err := os.ReadFile(file); err != nil || string(text) != "old" {
		t.Errorf("the file holds %q now (%v)", text, err)
	}
}

func TestWithoutACompilerEverythingElseIsMeasured(t *testing.T) {
	cmd := bench(t, "run", "-quick", "switch/iter.Pull", "switch/ucontext", "switch/boost")
	cmd.Env = append(cmd.Env, "PATH="+t.TempDir(), "CC=", "CXX=")
	stdout, _, status := outputOf(t, cmd)
	if status != 0 || !strings.Contains(stdout, "  ucontext: left out, no C compiler found\n") ||
		!strings.Contains(stdout, "  boost: left out, no C++ compiler found\n") ||
		!strings.Contains(stdout, "  iter.Pull ") {
		t.Errorf("status %d, text:\n%s", status, stdout)
	}
}

func TestFullDiskIsReportedWithStatus1(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	cmd := bench(t, "run", "-quick", "switch/iter.Pull")
	cmd.Stdout = full
	var errs bytes.Buffer
	cmd.Stderr = &errs
	cmd.Run()
	if got := cmd.ProcessState.ExitCode(); got != exitFailed || !strings.Contains(errs.String(), "no space left") {
		t.Errorf("status %d, stderr %q", got, &errs)
	}
}

func TestCompareTellsWhatChanged(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, samples string) string {
		path := filepath.Join(dir, name)
		text := `{"env": {}, "results": [{"experiment": "e", "variant": "v", "metric": "ns_per_op", "unit": "ns", "samples": ` + samples + `}]}`
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	a, b := file("a", "[1, 2, 1, 2, 1, 2, 1, 2]"), file("b", "[11, 12, 11, 12, 11, 12, 11, 12]")
	stdout, stderr, status := outputOf(t, bench(t, "compare", a, b))
	if status != 0 || stderr != "" || !strings.Contains(stdout, "slower\n") || !strings.Contains(stdout, "1 changed") {
		t.Errorf("status %d, stderr %q, text:\n%s", status, stderr, stdout)
	}
	other := filepath.Join(dir, "other")
	if err := os.WriteFile(other, []byte("BenchmarkX 1 2 ns/op"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ b, complaint string }{
		{filepath.Join(dir, "absent"), "no such file"},
		{other, "no JSON of bench"},
		{dir, "is a directory"},
	} {
		if stdout, stderr, status := outputOf(t, bench(t, "compare", a, c.b)); status != 2 || !strings.Contains(stderr, c.complaint) || stdout != "" {
			t.Errorf("%s: status %d, stderr %q, want %q in it", c.b, status, stderr, c.complaint)
		}
	}
}
