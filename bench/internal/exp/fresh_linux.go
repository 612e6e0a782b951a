package exp

import (
	"unsafe"

	"golang.org/x/sys/unix"

	"greenthread/asm"
)

// mapFresh maps a stack with a guard page at its low end, by the same calls as
// the C program.
func mapFresh() (asm.StackMemory, error) {
	p, err := unix.MmapPtr(-1, 0, nil, freshStack, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE|unix.MAP_STACK)
	if err != nil {
		return asm.StackMemory{}, err
	}
	guard := uintptr(unix.Getpagesize())
	if err := unix.Mprotect(unsafe.Slice((*byte)(p), guard), unix.PROT_NONE); err != nil {
		unix.MunmapPtr(p, freshStack)
		return asm.StackMemory{}, err
	}
	return asm.StackMemory{Lo: uintptr(p) + guard, Hi: uintptr(p) + freshStack}, nil
}

// unmapFresh unmaps what mapFresh has mapped.
func unmapFresh(s asm.StackMemory) error {
	base := s.Hi - freshStack
	return unix.MunmapPtr(*(*unsafe.Pointer)(unsafe.Pointer(&base)), freshStack)
}
