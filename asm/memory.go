//go:build linux && (amd64 || arm64)

package asm

import "unsafe"

// at gives typed access to an address that the collector knows nothing about:
// a field of a g or an m, a word of a signal frame.
//
//go:nosplit
//go:norace
//go:nocheckptr
func at[T any](address uintptr) *T {
	return *(**T)(unsafe.Pointer(&address))
}
