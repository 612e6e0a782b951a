//go:build !linux

package stackpool

import (
	"errors"
	"fmt"
	"runtime"
)

// errNoMemory is never met here.
var errNoMemory = errors.New("out of memory")

// kernelMemory says that there is none.
func kernelMemory() (memory, error) {
	return nil, fmt.Errorf("no guarded stacks on %s: %w", runtime.GOOS, errors.ErrUnsupported)
}

// outOfMemory has nothing to tell apart here.
func outOfMemory(err error) bool { return errors.Is(err, errNoMemory) }
