package runtime

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// checkCPUs reports an error unless this process may use all of cpus.
func checkCPUs(cpus []int) error {
	if len(cpus) == 0 {
		return nil
	}
	var allowed unix.CPUSet
	if err := unix.SchedGetaffinity(0, &allowed); err != nil {
		return fmt.Errorf("greenthread: sched_getaffinity: %w", err)
	}
	for _, cpu := range cpus {
		if cpu < 0 || !allowed.IsSet(cpu) {
			return fmt.Errorf("%w: CPU %d is not one of the %d that this process may use", ErrBadOption, cpu, allowed.Count())
		}
	}
	return nil
}

// settleDown locks and pins the loop of c, if its runtime wants that. A kernel
// thread that was pinned ends with the goroutine that is locked to it.
func (c *carrier) settleDown() error {
	if !c.rt.locked {
		return nil
	}
	runtime.LockOSThread()
	if n := len(c.rt.cpus); n > 0 {
		var one unix.CPUSet
		one.Set(c.rt.cpus[c.number%n])
		if err := unix.SchedSetaffinity(0, &one); err != nil {
			return fmt.Errorf("greenthread: sched_setaffinity to CPU %d: %w", c.rt.cpus[c.number%n], err)
		}
	}
	return nil
}
