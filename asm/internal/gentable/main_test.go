package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const asmDir = "../.."

// The table of this toolchain is what the toolchain says, and every table has the
// build tag that the others leave it.
func TestTheTableIsWhatTheGeneratorWrites(t *testing.T) {
	v, err := toolchain()
	if err != nil {
		t.Skip("no go command here:", err)
	}
	all, err := tables(asmDir)
	if err != nil || len(all) == 0 {
		t.Fatal(all, err)
	}
	if v > all[len(all)-1] {
		t.Skipf("no table for %v yet: go generate ./asm writes it", v)
	}
	want := t.TempDir()
	committed := map[version]string{}
	for _, v := range all {
		text, err := os.ReadFile(filepath.Join(asmDir, v.file()))
		if err != nil {
			t.Fatal(err)
		}
		committed[v] = string(text)
		if err := os.WriteFile(filepath.Join(want, v.file()), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := run(want); err != nil {
		t.Fatal(err)
	}
	for v, text := range committed {
		written, err := os.ReadFile(filepath.Join(want, v.file()))
		if err != nil {
			t.Fatal(err)
		}
		if string(written) != text {
			t.Errorf("%s is not what \"go generate ./asm\" writes:\n%s", v.file(), written)
		}
	}
}

func TestATableIsLimitedByTheNextOne(t *testing.T) {
	dir := t.TempDir()
	for _, v := range []version{26, 27, 30} {
		text := "// Code generated\n\n" + v.tag(true, 0) + "\n\npackage asm\n"
		if err := os.WriteFile(filepath.Join(dir, v.file()), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := limit(dir); err != nil {
		t.Fatal(err)
	}
	for v, tag := range map[version]string{
		26: "//go:build linux && (amd64 || arm64) && !go1.27\n",
		27: "//go:build linux && (amd64 || arm64) && go1.27 && !go1.30\n",
		30: "//go:build linux && (amd64 || arm64) && go1.30\n",
	} {
		text, err := os.ReadFile(filepath.Join(dir, v.file()))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), tag) {
			t.Errorf("%s:\n%swant %s", v.file(), text, tag)
		}
	}
}

// What is missing in a toolchain, or has changed, is named.
func TestWhatIsMissingOrChangedIsNamed(t *testing.T) {
	numbers := map[string]uint64{}
	for _, part := range [][]row{goroutine, machine, values} {
		for _, r := range part {
			for _, term := range r.terms {
				numbers[term] = 8
			}
		}
	}
	for name, value := range constants {
		numbers[name] = value
	}
	if _, err := render(99, numbers); err != nil {
		t.Fatal(err)
	}
	numbers["const_stackGuard"] = 1
	if _, err := render(99, numbers); err == nil || !strings.Contains(err.Error(), "const_stackGuard is 1 in go1.99, and 928") {
		t.Error(err)
	}
	delete(numbers, "g_bubble")
	if _, err := render(99, numbers); err == nil || !strings.Contains(err.Error(), "go1.99 has no g_bubble") {
		t.Error(err)
	}
}
