package measure

import (
	"testing"
	"time"
)

func TestCPUTimeIsReadFromTheFirstLine(t *testing.T) {
	const ms = time.Millisecond
	for text, want := range map[string]CPUTime{
		"cpu  10 1 20 300 4 5 6 7 8 9\ncpu0 1 1 1 1\n": {Total: 3530 * ms, Busy: 420 * ms, Stolen: 70 * ms},
		"cpu 0 0 0 0 0 0 0 0\n":                        {},
	} {
		if got, ok := parseCPUTime(text); !ok || got != want {
			t.Errorf("%q: %+v, %v; want %+v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "cpu", "cpu 1 2 3\n", "cpu a b c d e f g h\n"} {
		if got, ok := parseCPUTime(text); ok {
			t.Errorf("%q is taken for %+v", text, got)
		}
	}
}

func TestOwnTimeIsPartOfTheBusyTime(t *testing.T) {
	before, ok := currentCPUTime()
	if !ok {
		t.Skip("this system does not tell the time of its CPUs")
	}
	after := before
	for start := time.Now(); after.Own-before.Own < 20*time.Millisecond; after, _ = currentCPUTime() {
		if time.Since(start) > 10*time.Second {
			t.Fatal("10 s of work are not counted")
		}
	}
	if after.Total < before.Total || after.Busy < before.Busy {
		t.Errorf("the time goes backwards: %+v, then %+v", before, after)
	}
}
