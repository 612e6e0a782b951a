//go:build linux

package asm

import "unsafe"

func stackTop()
func stackTopAddress() uintptr

var stackTopFn = funcAt[func() uintptr](stackTopAddress())

// withTop returns what a goroutine may begin with: it calls f with SP as it was
// before the goroutine's first frame.
func withTop(f func(top unsafe.Pointer)) func() {
	return func() { f(unsafe.Pointer(at[byte](stackTopFn()))) }
}

// ownOffsets adds the fields that only this architecture has a use for.
func ownOffsets(func(name string, offset uintptr, width int, in ...string)) {}

// ownLive checks fields of a goroutine that is parked.
func ownLive(uintptr, func(string) uintptr, func(ok bool, name string)) {}

// ownCheck looks for what only this architecture needs.
func ownCheck() error { return nil }
