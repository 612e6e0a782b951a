package main

import (
	"os"
	"runtime"
	"strings"
	"testing"
)

// The table in README.md is what a run has printed, of the ways that there are now.
func TestReadmeHasTheRows(t *testing.T) {
	if here := runtime.GOOS + "/" + runtime.GOARCH; here != "linux/amd64" {
		t.Skipf("the table was made on linux/amd64, this is %s", here)
	}
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _, err := between(string(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := complete(table); err != nil {
		t.Errorf("README.md: %v\nmake it anew: go run ./internal/builds > FILE; go run ./internal/builds -readme FILE", err)
	}
}

func TestATableThatDoesNotHoldIsRefused(t *testing.T) {
	var rows []row
	for _, w := range ways {
		rows = append(rows, row{w.on(), w.with(), w.name, w.backend, w.what(), "passed"})
	}
	if err := complete(render(rows)); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(r []row) []row{
		"failed":          func(r []row) []row { r[3].result = "FAILED: exit status 1"; return r },
		"another backend": func(r []row) []row { r[3].backend = portable; return r },
		"missing":         func(r []row) []row { return r[1:] },
		"renamed":         func(r []row) []row { r[3].way = "-O3"; return r },
		"left out":        func(r []row) []row { r[3].result = "left out: no time"; return r }, // and yet native
	} {
		if err := complete(render(change(append([]row{}, rows...)))); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	rows[3].backend, rows[3].result = none, "left out: there is no gcc"
	if err := complete(render(rows)); err != nil {
		t.Error(err)
	}
}

func TestUpdateReplacesRows(t *testing.T) {
	dir := t.TempDir()
	var rows []row
	for _, w := range ways {
		rows = append(rows, row{w.on(), w.with(), w.name, w.backend, w.what(), "passed"})
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.WriteFile(dir+"/README.md", []byte("before\n"+begin+"\nold\n"+end+"\nafter\n"), 0o644))
	must(os.WriteFile(dir+"/log", []byte("ok\n"+begin+"\n"+render(rows)+end+"\nok\n"), 0o644))
	must(update(dir+"/README.md", dir+"/log"))
	text, err := os.ReadFile(dir + "/README.md")
	must(err)
	if want := "before\n" + begin + "\n" + render(rows) + end + "\nafter\n"; string(text) != want {
		t.Errorf("%s", text)
	}

	one := rows[3]
	one.backend, one.result = none, "left out: there is no gcc"
	must(os.WriteFile(dir+"/log", []byte(begin+"\n"+render([]row{one})+end+"\n"), 0o644))
	must(update(dir+"/README.md", dir+"/log"))
	text, err = os.ReadFile(dir + "/README.md")
	must(err)
	rows[3] = one
	if want := "before\n" + begin + "\n" + render(rows) + end + "\nafter\n"; string(text) != want {
		t.Errorf("after a run of one row:\n%s", text)
	}
	one.backend, one.result = native, "FAILED: exit status 1"
	must(os.WriteFile(dir+"/log", []byte(begin+"\n"+render([]row{one})+end+"\n"), 0o644))
	if err := update(dir+"/README.md", dir+"/log"); err == nil || !strings.Contains(err.Error(), "does not hold") {
		t.Error(err)
	}
	if again, err := os.ReadFile(dir + "/README.md"); err != nil || string(again) != string(text) {
		t.Errorf("%v\n%s", err, again)
	}

	must(os.WriteFile(dir+"/log", []byte("ok\n"), 0o644))
	if err := update(dir+"/README.md", dir+"/log"); err == nil || !strings.Contains(err.Error(), "not exactly one table") {
		t.Error(err)
	}
}
