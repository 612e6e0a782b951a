package main

import (
	"encoding/json"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"greenthread/bench/internal/exp"
)

// TestEachVariantRunsOnOneCPUAndThePortableBackend has all that can starve come
// together: one CPU, and threads that are goroutines.
func TestEachVariantRunsOnOneCPUAndThePortableBackend(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux can confine a process to some CPUs")
	}
	var names []string
	for _, e := range exp.Menu(nil) {
		for _, v := range e.Variants {
			if name := e.Name + "/" + v.Name; !long.MatchString(name) {
				names = append(names, name)
			}
		}
	}
	cmd := bench(t, append([]string{"run", "-quick", "-rounds", "1", "-format", "json", "-cpu", firstCPU(t)}, names...)...)
	cmd.Env = append(cmd.Env, "PATH="+t.TempDir(), "CC=", "CXX=", "GREENTHREAD_BACKEND=portable")
	stdout, stderr, status := outputOf(t, cmd)
	if status != 0 || stderr != "" {
		t.Fatalf("status %d, stderr %q", status, stderr)
	}
	var doc struct {
		Env     struct{ Notes map[string]string }
		Results []struct{ Experiment, Variant string }
	}
	if err := json.Unmarshal([]byte(stdout), &doc); err != nil {
		t.Fatal(err)
	}
	measured := map[string]bool{}
	for _, r := range doc.Results {
		measured[r.Experiment+"/"+r.Variant] = true
	}
	for _, name := range names {
		note := doc.Env.Notes[name]
		excused := false
		for _, excuse := range []string{"portable", "unsupported", "not on " + runtime.GOOS, "compiler found", "it needs 2 CPUs", "huge pages are set to"} {
			excused = excused || strings.Contains(note, excuse)
		}
		if !measured[name] && !excused {
			t.Errorf("%s was not measured: %q", name, note)
		}
	}
}

// long matches variants that take long, and differ from shorter ones by numbers only.
var long = regexp.MustCompile(`/10000+$|^stackcache/[^c]|^stackcache/(churn|createjoin/[^kd])|^guard/.*(none|rw|guard|64k|256k)$|^guard/no_guard|^futex/.*/1cpu`)
