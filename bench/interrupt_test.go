//go:build unix

package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"greenthread/bench/internal/report"
)

// interrupted runs bench, interrupts it some time after the measurement has begun,
// and checks how it ends.
func interrupted(t *testing.T, after time.Duration, args ...string) (stdout string) {
	t.Helper()
	cmd := bench(t, args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// The machine is described before the measurement; this is the sign that it is
	// about to begin.
	head := make([]byte, 1)
	if _, err := io.ReadFull(out, head); err != nil {
		t.Fatalf("%v: %s", err, &errs)
	}
	time.Sleep(after)
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(out)
	if err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != exitInterrupted || errs.Len() > 0 {
		t.Errorf("status %d, want %d; stderr %q", got, exitInterrupted, &errs)
	}
	return string(head) + string(rest)
}

func TestInterruptKeepsWhatWasMeasuredInEachFormat(t *testing.T) {
	dir := t.TempDir()
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	// How long it takes until a round is finished depends on who else is there.
	for after := 500 * time.Millisecond; ; after *= 2 {
		stdout := interrupted(t, after, "run", "-rounds", "1000000", "create/goroutine", "create/green/pooled", "switch/channel", "-save", dir)
		if !strings.Contains(stdout, "\ninterrupted: ") {
			t.Fatalf("text:\n%s", stdout)
		}
		stored, err := report.ReadJSON(strings.NewReader(read("result.json")))
		if err != nil {
			t.Fatal(err)
		}
		if !stored.Interrupted {
			t.Error("the JSON does not say that the run was interrupted")
		}
		if len(stored.Ratios) > 0 { // both variants of create have a round
			break
		}
		if after > time.Minute {
			t.Fatalf("after %v nothing was measured", after)
		}
	}
	for name, want := range map[string][]string{
		"result.txt":   {"\n  goroutine ", "\ninterrupted: ", "nothing was measured"},
		"result.csv":   {"\nresult,create,goroutine,ns_per_op,", "\nenv,,interrupted,"},
		"result.bench": {"\nBenchmarkCreate/goroutine", "\n# interrupted"},
		"report.html":  {"This run was interrupted", "<svg ", "Nothing was measured."},
	} {
		for _, w := range want {
			if text := read(name); !strings.Contains(text, w) {
				t.Errorf("%q is not in %s:\n%.2000s", w, name, text)
			}
		}
	}
	if svg := read("create-ns_per_op.svg"); !strings.Contains(svg, "goroutine") {
		t.Errorf("the plot is %s", svg)
	}
}

func TestInterruptAtOnceIsClean(t *testing.T) {
	dir := t.TempDir()
	interrupted(t, 0, "run", "-rounds", "1000000", "check", "-save", dir)
	for _, f := range saved {
		if info, err := os.Stat(filepath.Join(dir, f.name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v, %v", f.name, info, err)
		}
	}
}

// Ctrl-C reaches all processes that a terminal has in its foreground, also those in
// which bench has things measured. They must not look as if they had failed.
func TestInterruptOfTheWholeGroupBlamesNobody(t *testing.T) {
	for _, experiment := range []string{"scale", "futex", "skynet", "wake", "sleep", "stackcache", "guard", "create/pthread", "spawn/clone"} {
		cmd := bench(t, "run", "-rounds", "1000000", experiment) // it must not be over before
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		var errs bytes.Buffer
		cmd.Stderr = &errs
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(out, make([]byte, 1)); err != nil {
			t.Fatalf("%v: %s", err, &errs)
		}
		time.Sleep(200 * time.Millisecond) // until a child is at work, as a rule
		if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(out)
		if err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
		if got := cmd.ProcessState.ExitCode(); got != exitInterrupted || strings.Contains(string(text), "failed") {
			t.Errorf("%s: status %d, want %d; text:\n%s\nstderr %q", experiment, got, exitInterrupted, text, &errs)
		}
	}
}
