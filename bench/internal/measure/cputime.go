package measure

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"greenthread/bench/internal/pin"
)

// CPUTime is the time of all CPUs that this process may use, together, since the
// machine's start.
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
	cpus, err := pin.Allowed()
	if err != nil {
		return CPUTime{}, false
	}
	t, ok := parseCPUTime(string(text), cpus)
	t.Own = OwnCPUTime()
	return t, ok
}

// parseCPUTime adds up the lines "cpuN user nice system idle iowait irq softirq steal
// guest guest_nice" of /proc/stat for the CPUs with these numbers; the guests' time is
// part of user.
func parseCPUTime(stat string, cpus []int) (sum CPUTime, ok bool) {
	found := 0
	for line := range strings.Lines(stat) {
		var cpu int
		var ticks [8]int64
		args := []any{&cpu}
		for i := range ticks {
			args = append(args, &ticks[i])
		}
		n, _ := fmt.Sscanf(line, "cpu%d"+strings.Repeat(" %d", len(ticks)), args...)
		if n != len(args) || !slices.Contains(cpus, cpu) {
			continue
		}
		found++
		var all int64
		for _, n := range ticks {
			all += n
		}
		idle, stolen := ticks[3]+ticks[4], ticks[7]
		sum.Total += fromTicks(all)
		sum.Stolen += fromTicks(stolen)
		sum.Busy += fromTicks(all - idle - stolen)
	}
	return sum, found == len(cpus) && found > 0
}

func fromTicks(n int64) time.Duration { return time.Duration(n) * time.Second / userHZ }

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
