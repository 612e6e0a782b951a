package main

import (
	"encoding/json"
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
		switch e.Name {
		case "create", "switch", "launch", "spawn": // the others have processes of their own, and take long
			for _, v := range e.Variants {
				if !needsCompiler(v.Name) && !strings.HasSuffix(v.Name, "/10000") {
					names = append(names, e.Name+"/"+v.Name)
				}
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
		excused := strings.Contains(note, "portable") || strings.Contains(note, "unsupported") || strings.Contains(note, "not on "+runtime.GOOS)
		if !measured[name] && !excused {
			t.Errorf("%s was not measured: %q", name, note)
		}
	}
}

// needsCompiler reports whether a variant is a peer.
func needsCompiler(variant string) bool {
	family, _, _ := strings.Cut(variant, "/")
	return strings.Contains(" pthread ucontext boost boost.fiber pth st ", " "+family+" ")
}
