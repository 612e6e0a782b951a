package crowd

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// memoryInUse is what this process takes from the system.
type memoryInUse struct {
	resident, pageTables int64 // bytes
	maps                 int
}

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
