//go:build linux

package asm

// What the kernel has its own numbers and layouts for on each architecture.

// Offsets in the signal frame that the kernel hands to a handler.
const (
	siginfoCode = 8
	siginfoAddr = 16

	ucontextBP    = 120
	ucontextAX    = 144
	ucontextSP    = 160
	ucontextPC    = 168
	ucontextFlags = 176
)

// Numbers of system calls.
const (
	sysWrite         = 1
	sysMprotect      = 10
	sysRtSigprocmask = 14
	sysMadvise       = 28
	sysClone         = 56
	sysExit          = 60
	sysFutex         = 202
)

const pageSize = 4 << 10

// setThreadPointer writes what C's ABI wants to find at the thread pointer.
func setThreadPointer(tp uintptr) { *at[uintptr](tp) = tp }
