package measure

import (
	"fmt"
	"os"
	"strings"
	"time"
)

// CPUTime is the time of all CPUs together since the machine's start.
type CPUTime struct {
	Total  time.Duration
	Busy   time.Duration // somebody here ran
	Stolen time.Duration // the hypervisor gave it to another machine
	Own    time.Duration // this process and those of its children that have ended
}

// userHZ is how many ticks a second has in /proc/stat, on every architecture that Go
// knows.
const userHZ = 100

// currentCPUTime reports false where the system does not tell it.
func currentCPUTime() (CPUTime, bool) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return CPUTime{}, false
	}
	t, ok := parseCPUTime(string(text))
	t.Own = ownCPUTime()
	return t, ok
}

// parseCPUTime reads the first line of /proc/stat, "cpu user nice system idle
// iowait irq softirq steal guest guest_nice"; the guests' time is part of user.
func parseCPUTime(stat string) (CPUTime, bool) {
	line, _, _ := strings.Cut(stat, "\n")
	var ticks [8]int64
	args := make([]any, len(ticks))
	for i := range ticks {
		args[i] = &ticks[i]
	}
	if n, err := fmt.Sscanf(line, "cpu"+strings.Repeat(" %d", len(ticks)), args...); err != nil || n != len(ticks) {
		return CPUTime{}, false
	}
	var t CPUTime
	for _, n := range ticks {
		t.Total += time.Duration(n) * time.Second / userHZ
	}
	idle := time.Duration(ticks[3]+ticks[4]) * time.Second / userHZ
	t.Stolen = time.Duration(ticks[7]) * time.Second / userHZ
	t.Busy = t.Total - idle - t.Stolen
	return t, true
}

// since returns which shares of the CPUs' time, 0 to 1, were stolen and taken by
// other processes since an earlier moment.
func (t CPUTime) since(earlier CPUTime) (stolen, others float64) {
	total := t.Total - earlier.Total
	if total <= 0 {
		return 0, 0
	}
	busy, own := t.Busy-earlier.Busy, t.Own-earlier.Own
	return float64(t.Stolen-earlier.Stolen) / float64(total), max(0, float64(busy-own)/float64(total))
}
