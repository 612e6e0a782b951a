//go:build linux && amd64

package asm_test

import (
	"fmt"
	"runtime"
	"unsafe"

	"greenthread/asm"
)

// A native context is made on some memory, runs, and its link goes on when it
// has returned. Real stacks come with a guard, from package stackpool.
func ExampleSwapContext() {
	memory := make([]byte, 64<<10)
	lo := uintptr(unsafe.Pointer(&memory[0]))
	stack := asm.StackMemory{Lo: lo, Hi: (lo + uintptr(len(memory))) &^ (asm.StackAlign - 1)}

	home, away := new(asm.NativeContext), new(asm.NativeContext)
	if err := asm.MakeContext(away, stack, asm.BodyReturn(), 0, home); err != nil {
		fmt.Println(err)
		return
	}
	asm.SwapContext(home, away)
	fmt.Println("ended:", away.Ended())
	runtime.KeepAlive(memory)
	// Output: ended: true
}

// A kernel thread of our own runs on some memory, which is free again after Join.
func ExampleStartThread() {
	memory := make([]byte, 64<<10)
	lo := uintptr(unsafe.Pointer(&memory[0]))
	stack := asm.StackMemory{Lo: lo, Hi: (lo + uintptr(len(memory))) &^ (asm.StackAlign - 1)}

	thread, err := asm.StartThread(stack, asm.BodyReturn(), 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("joined:", thread.Join(), "ended:", thread.Ended())
	runtime.KeepAlive(memory)
	// Output: joined: <nil> ended: true
}
