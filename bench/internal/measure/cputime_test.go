package measure

import (
	"testing"
	"time"
)

func TestCPUTimeIsThatOfTheCPUsInUse(t *testing.T) {
	const ms = time.Millisecond
	const stat = "cpu  99 99 99 99 99 99 99 99 0 0\n" +
		"cpu0 10 1 20 300 4 5 6 7 8 9\ncpu1 1000 0 0 0 0 0 0 0 0 0\ncpu12 0 0 1 2 0 0 0 3 0 0\nintr 5 5 5 5 5 5 5 5 5\n"
	for _, c := range []struct {
		cpus []int
		want CPUTime
	}{
		{[]int{0}, CPUTime{Total: 3530 * ms, Busy: 420 * ms, Stolen: 70 * ms}},
		{[]int{0, 12}, CPUTime{Total: 3590 * ms, Busy: 430 * ms, Stolen: 100 * ms}},
	} {
		if got, ok := parseCPUTime(stat, c.cpus); !ok || got != c.want {
			t.Errorf("%v: %+v, %v; want %+v", c.cpus, got, ok, c.want)
		}
	}
	for _, cpus := range [][]int{nil, {2}, {0, 2}} {
		if got, ok := parseCPUTime(stat, cpus); ok {
			t.Errorf("%v: %+v", cpus, got)
		}
	}
	for _, text := range []string{"", "cpu0", "cpu0 1 2 3\n", "cpu0 a b c d e f g h\n"} {
		if got, ok := parseCPUTime(text, []int{0}); ok {
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
