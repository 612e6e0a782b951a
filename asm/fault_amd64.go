//go:build linux

package asm

// Offsets in the signal frame that the kernel hands to a handler.
const (
	siginfoCode = 8
	siginfoAddr = 16

	ucontextSP = 160
	ucontextPC = 168

	sysWrite    = 1
	sysMprotect = 10
	sysMadvise  = 28
)
