//go:build !linux

package pin

import (
	"errors"
	"fmt"
	"os/exec"
)

// Allowed reports that this system does not tell.
func Allowed() ([]int, error) { return nil, errNoPinning }

func restart([]int, string) error { return errNoPinning }

// Start starts cmd if there are no CPUs to confine it to, and else refuses.
func Start(cmd *exec.Cmd, cpus []int) error {
	if len(cpus) == 0 {
		return cmd.Start()
	}
	return errNoPinning
}

// Thread refuses to confine a thread.
func Thread(int) error { return errNoPinning }

// errNoPinning is the error where there is no way to do it.
var errNoPinning = fmt.Errorf("this system has no way to confine a process to some CPUs: %w", errors.ErrUnsupported)
