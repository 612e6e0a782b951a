package report

import (
	"strconv"
	"time"
)

// A Fact is a part of the environment, for formats of keys and values. The keys
// are those of the JSON format.
type Fact struct{ Key, Value string }

// Facts lists all of e.
func Facts(e Env) []Fact {
	return []Fact{
		{"time", e.Time.Format(time.RFC3339)},
		{"cpu", e.CPU},
		{"cpus", strconv.Itoa(e.CPUs)},
		{"cpu_list", e.List},
		{"gomaxprocs", strconv.Itoa(e.Procs)},
		{"memory_kib", strconv.FormatInt(e.Memory, 10)},
		{"os", e.OS},
		{"arch", e.Arch},
		{"kernel", e.Kernel},
		{"thp", e.THP},
		{"go", e.Go},
		{"module", e.Build.Module},
		{"version", e.Build.Version},
		{"revision", e.Build.Revision},
		{"flags", e.Build.Flags},
		{"backend", e.Backend},
		{"cc", e.CC},
		{"cxx", e.CXX},
		{"rounds", strconv.Itoa(e.Rounds)},
		{"sample_ms", exact(e.SampleMS)},
		{"confidence", exact(e.Confidence)},
	}
}
