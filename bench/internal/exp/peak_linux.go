package exp

import (
	"fmt"
	"os"
	"strings"
)

// peakMemory returns the most that was resident of this process, in bytes. The figure of
// getrusage would not do: a process inherits it from the one that has started it.
func peakMemory() (int64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(status), "\nVmHWM:")
	var kib int64
	if _, err := fmt.Sscanf(rest, "%d kB", &kib); err != nil {
		return 0, fmt.Errorf("the system does not tell the peak of the memory: %w", err)
	}
	return kib << 10, nil
}
