package crowd

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"

	"greenthread/bench/internal/child"
	"greenthread/bench/internal/measure"
)

// memoryInUse is what this process takes from the system.
type memoryInUse struct {
	resident, pageTables int64 // bytes
	maps                 int
}

// ampleBytes is how much memory a thread of a crowd never takes, of whichever kind: it
// is twice of what they were seen to take.
const ampleBytes = 16 << 10

// HasRoom returns nil if a crowd of n threads will find enough memory, as far as the
// system tells. The error is a [measure.Unavailable].
func HasRoom(n int) error {
	info, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return nil // Open will complain
	}
	available, err := kib(string(info), "MemAvailable")
	if want := int64(n) * ampleBytes; err == nil && available < want {
		return measure.Unavailablef("it wants %.1f GiB of memory, of which %.1f are available", gib(want), gib(available))
	}
	return nil
}

// Open returns a sampler of a kind of threads, each sample in a process of its own, where
// the system tells how much memory is in use.
func Open(kind string) (measure.Sampler, error) {
	if _, err := readMemory(); err != nil {
		return nil, measure.Unavailablef("it needs Linux to tell how much memory is in use (%v)", err)
	}
	return child.Open(Task(kind))
}

func gib(bytes int64) float64 { return float64(bytes) / (1 << 30) }

// readMemory asks the system, by files that only Linux has.
func readMemory() (memoryInUse, error) {
	// The exact figure: that of status is behind by what each CPU counts alone.
	rollup, err := os.ReadFile("/proc/self/smaps_rollup")
	if err != nil {
		return memoryInUse{}, err
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return memoryInUse{}, err
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return memoryInUse{}, err
	}
	m := memoryInUse{maps: bytes.Count(maps, []byte("\n"))}
	if m.resident, err = kib(string(rollup), "Rss"); err != nil {
		return m, err
	}
	m.pageTables, err = kib(string(status), "VmPTE")
	return m, err
}

// kib returns the bytes of the first line "key: value kB" of text.
func kib(text, key string) (int64, error) {
	for line := range strings.Lines(text) {
		k, v, _ := strings.Cut(line, ":")
		if k != key {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(v), "kB")), 10, 64)
		return n << 10, err
	}
	return 0, fmt.Errorf("the system does not tell %s", key)
}
