package stackpool

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// facts are the limits of the process and what it has used of them.
type facts struct {
	maps, maxMaps        uint64 // number of memory maps
	mapped, rlimitAS     uint64 // bytes
	data, rlimitData     uint64 // bytes of private writable memory
	locked, rlimitLocked uint64 // bytes
	committed, maxCommit uint64 // bytes, of the whole machine
	strictCommit         bool   // whether maxCommit is enforced
	group                groupLimit
}

func (kernel) blame(call string, size uintptr, cause error) *LimitError {
	f := gather()
	return f.blame(call, uint64(size), cause)
}

// blame says which limit it was: the kernel says ENOMEM for all of them.
func (f *facts) blame(call string, size uint64, cause error) *LimitError {
	switch {
	case f.maxMaps > 0 && f.maps+8 >= f.maxMaps:
		return mapCountError(int(f.maxMaps), cause)
	case over(f.mapped, size, f.rlimitAS) && call == "mmap":
		return &LimitError{"RLIMIT_AS", f.rlimitAS, "raise it (ulimit -v), or use fewer or smaller stacks and guards", cause}
	case over(f.data, size, f.rlimitData):
		return &LimitError{"RLIMIT_DATA", f.rlimitData, "raise it (ulimit -d), or use fewer or smaller stacks and guards", cause}
	case f.strictCommit && over(f.committed, size, f.maxCommit):
		return &LimitError{"vm.overcommit_memory", f.maxCommit,
			"memory is promised strictly here: raise vm.overcommit_ratio, set vm.overcommit_memory to 0 or 1, or use a smaller Config.ArenaSize", cause}
	case errors.Is(cause, unix.EAGAIN), f.locked > 0 && over(f.locked, size, f.rlimitLocked):
		return &LimitError{"RLIMIT_MEMLOCK", f.rlimitLocked, "all memory of the process is locked: raise the limit (ulimit -l), or do not use mlockall(MCL_FUTURE)", cause}
	case f.group.full():
		return f.group.err(cause)
	case call == "mmap":
		return &LimitError{"address space", f.mapped, "use smaller stacks or guards, or fewer of them", cause}
	}
	return &LimitError{"memory", f.mapped, "free memory, or use fewer or smaller stacks and guards", cause}
}

// over tells whether size more than used is beyond the limit.
func over(used, size, limit uint64) bool {
	return limit != 0 && limit != unix.RLIM_INFINITY && used+size > limit
}

// gather reads the facts. What cannot be read is 0, which blames nothing.
func gather() facts {
	var f facts
	maps, limit := kernel{}.countMaps()
	f.maps, f.maxMaps = uint64(maps), uint64(limit)
	f.rlimitAS = softLimit(unix.RLIMIT_AS)
	f.rlimitData = softLimit(unix.RLIMIT_DATA)
	f.rlimitLocked = softLimit(unix.RLIMIT_MEMLOCK)
	f.strictCommit = number("/proc/sys/vm/overcommit_memory") == 2
	status := table("/proc/self/status")
	f.mapped, f.data, f.locked = status["VmSize"], status["VmData"], status["VmLck"]
	info := table("/proc/meminfo")
	f.committed, f.maxCommit = info["Committed_AS"], info["CommitLimit"]
	f.group = memoryGroup(os.DirFS("/"))
	return f
}

func (kernel) commit() (promised, limit uint64, strict bool) {
	info := table("/proc/meminfo")
	return info["Committed_AS"], info["CommitLimit"], number("/proc/sys/vm/overcommit_memory") == 2
}

func (kernel) countMaps() (maps, limit int) {
	return int(countMaps()), int(number("/proc/sys/vm/max_map_count"))
}

// number reads a file that holds one.
func number(path string) uint64 {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	n, _ := strconv.ParseUint(string(bytes.TrimSpace(text)), 10, 64)
	return n
}

// table reads lines such as "VmSize:  1234 kB", and returns bytes.
func table(path string) map[string]uint64 {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	t := map[string]uint64{}
	for line := range strings.Lines(string(text)) {
		var name string
		var n uint64
		if k, _ := fmt.Sscanf(line, "%s %d kB", &name, &n); k == 2 {
			t[strings.TrimSuffix(name, ":")] = n << 10
		}
	}
	return t
}

// softLimit returns a soft limit of the process.
func softLimit(resource int) uint64 {
	var r unix.Rlimit
	if unix.Getrlimit(resource, &r) != nil {
		return 0
	}
	return uint64(r.Cur)
}

// countMaps counts the memory maps of the process, without building a string of
// them all: there may be 65,530.
func countMaps() uint64 {
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		return 0
	}
	defer f.Close()
	var n uint64
	var buf [4096]byte // small, as there is little memory left when it is needed
	for {
		k, err := f.Read(buf[:])
		n += uint64(bytes.Count(buf[:k], []byte{'\n'}))
		if err == io.EOF || err != nil {
			return n
		}
	}
}
