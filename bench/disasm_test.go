package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// disassembly is what a program says of its own switches, without the texts.
func disassembly(t *testing.T, cmd *exec.Cmd) (paths map[string][6]int) {
	t.Helper()
	stdout, stderr, status := outputOf(t, cmd)
	if status != 0 {
		t.Fatalf("status %d, stderr %q", status, stderr)
	}
	type path struct {
		Title                                                string
		Instructions, Loads, Stores, Locked, Branches, Bytes int
	}
	var r struct {
		Coroutine, Native []path
		Notes             []string
	}
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatalf("%v in %s", err, stdout)
	}
	paths = map[string][6]int{}
	for _, p := range append(r.Coroutine, r.Native...) {
		paths[p.Title] = [6]int{p.Instructions, p.Loads, p.Stores, p.Locked, p.Branches, p.Bytes}
	}
	if len(paths) == 0 {
		t.Fatalf("there is nothing in %s", stdout)
	}
	return paths
}

// A program without symbols has the same switches, and can still show them.
func TestDisasmWorksInAStrippedProgram(t *testing.T) {
	if _, stderr, status := outputOf(t, bench(t, "disasm")); status != 0 {
		t.Skip(stderr)
	}
	program := filepath.Join(t.TempDir(), "bench")
	build := exec.Command("go", "build", "-ldflags", "-s -w", "-o", program, ".")
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	stripped := disassembly(t, exec.Command(program, "disasm", "-format", "json"))
	for title, counts := range disassembly(t, bench(t, "disasm", "-format", "json")) {
		if strings.Contains(title, "Go code") {
			continue // a test may be compiled otherwise
		}
		if stripped[title] != counts {
			t.Errorf("%s: %v in the stripped program, %v in this one", title, stripped[title], counts)
		}
	}
}

func TestDisasmWritesToAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "switch.txt")
	stdout, stderr, status := outputOf(t, bench(t, "disasm", "-o", file))
	if status != 0 {
		t.Skip(stderr)
	}
	text, err := os.ReadFile(file)
	if err != nil || stdout != "" || !strings.Contains(string(text), "instructions") {
		t.Errorf("%v, stdout %q, the file holds %q", err, stdout, text)
	}
}
