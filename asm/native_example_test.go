//go:build linux && (amd64 || arm64)

package asm_test

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"

	"greenthread/asm"
)

// A native context is made on some memory, runs, and its link goes on when it
// has returned. This stack has no guard; those of package stackpool do.
func ExampleSwapContext() {
	memory, err := unix.Mmap(-1, 0, 64<<10, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer unix.Munmap(memory)
	lo := uintptr(unsafe.Pointer(&memory[0]))
	stack := asm.StackMemory{Lo: lo, Hi: lo + uintptr(len(memory))}

	home, away := new(asm.NativeContext), new(asm.NativeContext)
	if err := asm.MakeContext(away, stack, asm.BodyReturn(), 0, home); err != nil {
		fmt.Println(err)
		return
	}
	asm.SwapContext(home, away)
	fmt.Println("ended:", away.Ended())
	// Output: ended: true
}

// A kernel thread of our own runs on some memory, which is free again after Join.
func ExampleStartThread() {
	memory, err := unix.Mmap(-1, 0, 64<<10, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer unix.Munmap(memory)
	lo := uintptr(unsafe.Pointer(&memory[0]))
	stack := asm.StackMemory{Lo: lo, Hi: lo + uintptr(len(memory))}

	thread, err := asm.StartThread(stack, asm.BodyReturn(), 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("joined:", thread.Join(), "ended:", thread.Ended())
	// Output: joined: <nil> ended: true
}
