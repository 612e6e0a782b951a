//go:build !linux

package runtime

import (
	"fmt"
	"runtime"
)

// checkCPUs refuses to pin.
func checkCPUs(cpus []int) error {
	if len(cpus) == 0 {
		return nil
	}
	return fmt.Errorf("%w: carriers cannot be pinned to CPUs here, only on Linux", ErrBadOption)
}

// settleDown locks the loop of c, if its runtime wants that.
func (c *carrier) settleDown() error {
	if c.rt.locked {
		runtime.LockOSThread()
	}
	return nil
}
