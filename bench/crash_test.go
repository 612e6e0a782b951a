//go:build unix

package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"greenthread/bench/internal/report"
)

// When bench itself dies, by a fault in what it measures or by somebody's order, the
// experiments that were finished are in the files already.
func TestDeathOfBenchLeavesTheFinishedExperiments(t *testing.T) {
	file := filepath.Join(t.TempDir(), "result.json")
	cmd := bench(t, "run", "-quick", "create/goroutine", "scale", "-format", "json", "-o", file)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	read := func() (*report.Stored, error) {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return report.ReadJSON(f)
	}
	for start := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if _, err := read(); err == nil {
			break
		} else if time.Since(start) > time.Minute {
			t.Fatal(err)
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	stored, err := read()
	if err != nil {
		t.Fatal(err)
	}
	if len(stored.Results) == 0 || stored.Results[0].Variant != "goroutine" || !stored.Interrupted {
		t.Errorf("%d results, interrupted: %v", len(stored.Results), stored.Interrupted)
	}
}
