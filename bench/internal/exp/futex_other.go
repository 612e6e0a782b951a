//go:build !linux

package exp

import (
	"errors"

	"greenthread/futex"
)

func sharedMemory() (*futex.SharedMutex, *[2]futex.SharedCond, error) {
	return nil, nil, errors.ErrUnsupported
}

func refusePrivateFutexes() error { return errors.ErrUnsupported }
