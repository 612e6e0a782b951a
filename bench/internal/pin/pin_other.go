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

// Start refuses to confine a process, and starts nothing.
func Start(*exec.Cmd, []int) error { return errNoPinning }

// Thread refuses to confine a thread.
func Thread(int) error { return errNoPinning }

// errNoPinning is the error where there is no way to do it.
var errNoPinning = fmt.Errorf("this system has no way to confine a process to some CPUs: %w", errors.ErrUnsupported)
