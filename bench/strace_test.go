package main

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

// TestCallsShowWhatThePostOf2007Showed counts: without a cache of stacks one mmap and
// one munmap for each thread, with it none.
func TestCallsShowWhatThePostOf2007Showed(t *testing.T) {
	stdout, stderr, status := outputOf(t, bench(t, "run", "-strace", "-rounds", "1", "-format", "json",
		"create/native/fresh", "create/native/pooled", "create/clone/fresh", "create/clone/pooled", "create/ucontext/fresh", "create/ucontext/pooled"))
	if status == exitUsage && strings.Contains(stderr, "strace is not installed") {
		t.Skip(stderr)
	}
	var doc struct {
		Env     struct{ Notes map[string]string }
		Results []struct {
			Variant, Metric string
			Median          float64
		}
	}
	if err := json.Unmarshal([]byte(stdout), &doc); err != nil || status != 0 {
		t.Fatalf("status %d, stderr %q, %v in %s", status, stderr, err, stdout)
	}
	if len(doc.Results) == 0 {
		t.Skip(doc.Env.Notes)
	}
	for _, r := range doc.Results {
		family, kind, _ := strings.Cut(r.Variant, "/")
		want := 0.0
		switch {
		case kind == "fresh" && strings.Contains("mmap_calls munmap_calls mprotect_calls", r.Metric):
			want = 1
		case family == "clone" && r.Metric == "clone_calls":
			want = 1
		case r.Metric == "futex_calls" || r.Metric == "sigmask_calls":
			continue // the Go runtime and the C library make these as they see fit
		}
		if math.Abs(r.Median-want) > 0.2 {
			t.Errorf("%s: %v %s for each thread, want %v", r.Variant, r.Median, r.Metric, want)
		}
	}
}

func TestStraceIsRefusedWhereItCannotBe(t *testing.T) {
	cmd := bench(t, "run", "-strace", "create/goroutine")
	cmd.Env = append(cmd.Env, "PATH="+t.TempDir())
	if stdout, stderr, status := outputOf(t, cmd); status != exitUsage || !strings.Contains(stderr, "strace is not installed") || stdout != "" {
		t.Errorf("without strace: status %d, stderr %q, stdout %q", status, stderr, stdout)
	}
	stdout, stderr, status := outputOf(t, bench(t, "run", "-strace", "scale"))
	if status != exitUsage || !(strings.Contains(stderr, "no repetitions of one operation") || strings.Contains(stderr, "not installed")) || stdout != "" {
		t.Errorf("scale: status %d, stderr %q, stdout %q", status, stderr, stdout)
	}
}
