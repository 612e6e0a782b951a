//go:build !linux

package strace

import "errors"

func exercise(int) error { return errors.ErrUnsupported }
