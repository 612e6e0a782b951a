package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestDoctorSpeaksTextAndJSON(t *testing.T) {
	stdout, stderr, status := outputOf(t, bench(t, "doctor"))
	if status != 0 || stderr != "" || !strings.Contains(stdout, "\nadvice\n") {
		t.Errorf("status %d, stderr %q, text:\n%s", status, stderr, stdout)
	}
	stdout, stderr, status = outputOf(t, bench(t, "doctor", "-format=json"))
	var r struct {
		CPUs       int
		Guard      struct{ Kind string }
		Capacities []struct {
			Kind   string
			Bounds []struct{ Threads uint64 }
		}
		Advice []string
	}
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || status != 0 || stderr != "" {
		t.Fatalf("status %d, stderr %q, %v in %s", status, stderr, err, stdout)
	}
	if r.CPUs < 1 || r.Guard.Kind == "" || len(r.Capacities) != 2 || r.Advice == nil {
		t.Errorf("something is missing: %+v", r)
	}
}
