//go:build !linux

package exp

import (
	"errors"

	"greenthread/asm"
)

// mapFresh and unmapFresh are for Linux only, like everything that calls them.
func mapFresh() (asm.StackMemory, error) { return asm.StackMemory{}, errors.ErrUnsupported }

func unmapFresh(asm.StackMemory) error { return errors.ErrUnsupported }
