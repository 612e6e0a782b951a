package pin

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxCPU is the highest number that a list may name.
const maxCPU = 1023

// Parse reads a list of CPUs as taskset and the kernel write it: "0", "0,2",
// "0-3,8". The result is sorted, without repetitions.
func Parse(list string) ([]int, error) {
	var cpus []int
	for item := range strings.SplitSeq(list, ",") {
		from, to, isRange := strings.Cut(item, "-")
		if !isRange {
			to = from
		}
		first, err1 := strconv.ParseUint(from, 10, 32)
		last, err2 := strconv.ParseUint(to, 10, 32)
		switch {
		case err1 != nil || err2 != nil:
			return nil, fmt.Errorf("%q in %q is neither a CPU nor a range such as 0-3", item, list)
		case last > maxCPU:
			return nil, fmt.Errorf("%d in %q is more than %d", last, list, maxCPU)
		case first > last:
			return nil, fmt.Errorf("%q in %q ends before it begins", item, list)
		}
		for cpu := first; cpu <= last; cpu++ {
			cpus = append(cpus, int(cpu))
		}
	}
	slices.Sort(cpus)
	return slices.Compact(cpus), nil
}

// Format writes CPUs, which must be sorted, as Parse reads them.
func Format(cpus []int) string {
	var b strings.Builder
	for i := 0; i < len(cpus); {
		last := i
		for last+1 < len(cpus) && cpus[last+1] == cpus[last]+1 {
			last++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(cpus[i]))
		if last > i {
			b.WriteString("-" + strconv.Itoa(cpus[last]))
		}
		i = last + 1
	}
	return b.String()
}
