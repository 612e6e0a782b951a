//go:build linux

package asm

import "os"

// What the kernel has its own numbers and layouts for on each architecture.

// Offsets in the signal frame that the kernel hands to a handler.
const (
	siginfoCode = 8
	siginfoAddr = 16

	ucontextR0    = 184
	ucontextR8    = ucontextR0 + 8*8
	ucontextBP    = ucontextR0 + 29*8
	ucontextLR    = ucontextR0 + 30*8
	ucontextSP    = 432
	ucontextPC    = 440
	ucontextState = 448
)

// Numbers of system calls.
const (
	sysWrite         = 64
	sysExit          = 93
	sysFutex         = 98
	sysSchedYield    = 124
	sysRtSigprocmask = 135
	sysClone         = 220
	sysExecve        = 221
	sysMprotect      = 226
	sysMadvise       = 233
	sysExecveat      = 281
	sysClone3        = 435
)

// pageSize depends on how the kernel was built: 4, 16 or 64 KiB.
var pageSize = uintptr(os.Getpagesize())

// setThreadPointer writes what C's ABI wants to find at the thread pointer: zeros.
func setThreadPointer(tp uintptr) {}
