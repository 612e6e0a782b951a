// Package host describes the machine that a measurement ran on, as far as it
// matters to figures about threads.
package host

import (
	"os"
	"runtime"
	"strings"

	"greenthread/bench/internal/pin"
)

// A Machine is what the figures were measured on. Text that could not be found
// out is "unknown".
type Machine struct {
	CPU    string `json:"cpu"`        // the processor's model
	CPUs   int    `json:"cpus"`       // how many this process may use
	List   string `json:"cpu_list"`   // which these are, such as 0-3,8
	Procs  int    `json:"gomaxprocs"` // Go's limit on running threads
	Memory int64  `json:"memory_kib"` // installed; 0 if unknown
	OS     string `json:"os"`
	Arch   string `json:"arch"`
	Kernel string `json:"kernel"`
	THP    string `json:"thp"` // transparent huge pages: always, madvise or never
	Go     string `json:"go"`
}

const unknown = "unknown"

// Describe looks at this machine.
func Describe() Machine {
	return Machine{
		CPU:    cpuModel(read("/proc/cpuinfo")),
		CPUs:   runtime.NumCPU(),
		List:   cpuList(),
		Procs:  runtime.GOMAXPROCS(0),
		Memory: memory(read("/proc/meminfo")),
		OS:     runtime.GOOS,
		Arch:   runtime.GOARCH,
		Kernel: kernel(),
		THP:    thp(read("/sys/kernel/mm/transparent_hugepage/enabled")),
		Go:     runtime.Version(),
	}
}

// cpuList names the CPUs that this process may use.
func cpuList() string {
	cpus, err := pin.Allowed()
	if err != nil {
		return unknown
	}
	return pin.Format(cpus)
}

// read returns the file's text, or nothing if there is no such file.
func read(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(text)
}

// orUnknown returns s without surrounding space, or "unknown" if nothing is left.
func orUnknown(s string) string {
	if s = strings.TrimSpace(s); s != "" {
		return s
	}
	return unknown
}
