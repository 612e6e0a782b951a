package doctor

import "greenthread/bench/internal/host"

// Facts are what the machine says of itself. Bytes and numbers that could not be
// found out, and limits that are not set, are 0.
type Facts struct {
	host.Machine
	Virtual   bool    `json:"virtual"`    // the processor says that it is one of a virtual machine
	Clock     string  `json:"clock"`      // the kernel's source of time
	ClockNS   float64 `json:"clock_ns"`   // to look at it, least of many
	Governor  string  `json:"governor"`   // of the processor's speed
	UserID    int     `json:"user_id"`    // 0 is root
	QuotaCPUs float64 `json:"quota_cpus"` // what a control group leaves of the CPUs
	QuotaFile string  `json:"quota_file"` // where that is set

	Backend Probe `json:"backend"`
	Guard   Guard `json:"guard"`
	Memory  `json:"memory"`
	Kernel  Counts  `json:"threads"`
	Green   PerUnit `json:"green_thread"`

	Futex []Probe `json:"futex"`
	Tools []Probe `json:"tools"` // compilers, strace
	Peers []Probe `json:"peers"`
}

// A Probe is something that was tried.
type Probe struct {
	Name string `json:"name"`
	Here bool   `json:"here"`
	Text string `json:"text"` // what was found, or why it is not there
}

// Guard says how stacks are guarded.
type Guard struct {
	Kind       string `json:"kind"`        // of a default stack: madvise or mprotect
	Probe      string `json:"probe"`       // what the probe of MADV_GUARD_INSTALL has found
	StackBytes uint64 `json:"stack_bytes"` // of a default stack
	GuardBytes uint64 `json:"guard_bytes"` // below it
}

// Memory is what there is of it, in bytes, for all or for this process.
type Memory struct {
	PageBytes  uint64 `json:"page_bytes"`
	Total      uint64 `json:"total"`
	Available  uint64 `json:"available"`
	Overcommit int    `json:"overcommit"` // vm.overcommit_memory
	Promised   uint64 `json:"promised"`   // Committed_AS
	Promisable uint64 `json:"promisable"` // CommitLimit; enforced if Overcommit is 2
	GroupFile  string `json:"group_file"` // limit of the control group
	GroupMax   uint64 `json:"group_max"`
	GroupUsed  uint64 `json:"group_used"`

	Space     uint64 `json:"address_space"` // what the processor can address
	SpaceMax  uint64 `json:"rlimit_as"`     // RLIMIT_AS
	SpaceUsed uint64 `json:"mapped"`
	MaxMaps   uint64 `json:"max_map_count"`
	Maps      uint64 `json:"maps"`
}

// Counts are of kernel threads.
type Counts struct {
	InUse     uint64 `json:"in_use"` // on the whole machine
	Max       uint64 `json:"threads_max"`
	MaxID     uint64 `json:"pid_max"`
	UserMax   uint64 `json:"rlimit_nproc"` // RLIMIT_NPROC
	GroupFile string `json:"group_file"`
	GroupMax  uint64 `json:"group_max"` // pids.max
	GroupUsed uint64 `json:"group_used"`
	Bytes     uint64 `json:"kernel_bytes"` // of the kernel's own stack for each, as measured
}

// PerUnit is what one suspended green thread takes, as measured with many.
type PerUnit struct {
	Measured      int     `json:"measured"` // with how many; 0 if not at all
	Why           string  `json:"why"`      // it was not
	ResidentBytes float64 `json:"resident_bytes"`
	TableBytes    float64 `json:"page_table_bytes"`
}
