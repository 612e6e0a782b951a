package main

import (
	"encoding/json"
	"runtime"
	"strings"
	"testing"

	"greenthread/bench/internal/exp"
)

// TestEverythingRunsInEveryMode runs what needs no compiler, with neither a terminal
// nor anything else, on one CPU and with the portable backend.
func TestEverythingRunsInEveryMode(t *testing.T) {
	modes := map[string]struct {
		flags, environment []string
		missing            string // what may be left out, and why
	}{
		"portable backend":             {environment: []string{"GREENTHREAD_BACKEND=portable"}, missing: "GREENTHREAD_BACKEND=portable"},
		"one CPU":                      {flags: []string{"-cpu", "0"}},
		"one CPU and portable backend": {flags: []string{"-cpu", "0"}, environment: []string{"GREENTHREAD_BACKEND=portable"}, missing: "GREENTHREAD_BACKEND=portable"},
	}
	var names []string
	for _, e := range exp.Menu(nil) {
		switch e.Name {
		case "create", "switch", "launch", "spawn": // the others take long, or want memory
			for _, v := range e.Variants {
				if !needsCompiler(v.Name) && !strings.HasSuffix(v.Name, "/10000") {
					names = append(names, e.Name+"/"+v.Name)
				}
			}
		}
	}
	for mode, m := range modes {
		t.Run(mode, func(t *testing.T) {
			if len(m.flags) > 0 && runtime.GOOS != "linux" {
				t.Skip("only Linux can confine a process to some CPUs")
			}
			args := append([]string{"run", "-quick", "-rounds", "1", "-format", "json"}, m.flags...)
			cmd := bench(t, append(args, names...)...)
			cmd.Env = append(append(cmd.Env, "PATH="+t.TempDir(), "CC=", "CXX="), m.environment...)
			stdout, stderr, status := outputOf(t, cmd)
			if strings.Contains(stderr, "may not use CPU 0") {
				t.Skip(stderr)
			}
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
				excused := m.missing != "" && strings.Contains(note, m.missing) || strings.Contains(note, "unsupported") ||
					strings.Contains(note, "not on "+runtime.GOOS)
				if !measured[name] && !excused {
					t.Errorf("%s was not measured: %q", name, note)
				}
			}
		})
	}
}

// needsCompiler reports whether a variant is a peer.
func needsCompiler(variant string) bool {
	family, _, _ := strings.Cut(variant, "/")
	return strings.Contains(" pthread ucontext boost boost.fiber pth st ", " "+family+" ")
}
