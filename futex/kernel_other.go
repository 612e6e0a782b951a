//go:build !linux

package futex

import (
	"errors"
	"fmt"
	"runtime"
)

var errNoFutex = fmt.Errorf("futex: %w on %s", errors.ErrUnsupported, runtime.GOOS)

func kernelWait(*uint32, uint32, Deadline, Scope) error { return errNoFutex }

func kernelWake(*uint32, int, Scope) (int, error) { return 0, errNoFutex }
