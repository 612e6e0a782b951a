package host

import (
	"strconv"
	"strings"
)

// cpuModel finds the processor's name in the text of /proc/cpuinfo. The key
// differs between architectures; some kernels give no name at all.
func cpuModel(cpuinfo string) string {
	for _, key := range []string{"model name", "Model", "cpu model", "uarch"} {
		if v, ok := field(cpuinfo, key); ok {
			return orUnknown(strings.Join(strings.Fields(v), " "))
		}
	}
	return unknown
}

// memory finds the installed memory, in KiB, in the text of /proc/meminfo.
func memory(meminfo string) int64 {
	v, _ := field(meminfo, "MemTotal")
	kib, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(v, "kB")), 10, 64)
	if err != nil {
		return 0
	}
	return kib
}

// thp finds the chosen word of a line such as "always [madvise] never".
func thp(enabled string) string {
	_, rest, _ := strings.Cut(enabled, "[")
	word, _, _ := strings.Cut(rest, "]")
	return orUnknown(word)
}

// field returns the value of the first line "key : value" of text.
func field(text, key string) (string, bool) {
	for line := range strings.Lines(text) {
		k, v, ok := strings.Cut(line, ":")
		if ok && strings.TrimSpace(k) == key {
			return strings.TrimSpace(v), true
		}
	}
	return "", false
}
