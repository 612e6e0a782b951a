//go:build !linux

package exp

import "errors"

func peakMemory() (int64, error) { return 0, errors.ErrUnsupported }
