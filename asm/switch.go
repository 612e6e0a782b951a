//go:build linux && amd64

package asm

import "unsafe"

// The assembly functions below take their argument and give their result in
// registers, as compiled Go functions do, so they are declared without any:
// Go code must call them through the func values that follow.

func enter()
func leave()
func adopt()
func restart()
func release()
func rewind()
func widen()
func callerPC()
func self()
func stackTop()
func bottom()

// publish stores value at address, after everything that was stored before.
//
//go:noescape
func publish(address uintptr, value uint32)

func enterAddress() uintptr
func leaveAddress() uintptr
func adoptAddress() uintptr
func releaseAddress() uintptr
func rewindAddress() uintptr
func widenAddress() uintptr
func callerPCAddress() uintptr
func selfAddress() uintptr
func stackTopAddress() uintptr

// A func value points to a word that holds the address of the code. Calling
// the assembly through one skips the wrapper that moves arguments to the stack.
var code = [...]uintptr{
	enterAddress(), leaveAddress(), adoptAddress(), releaseAddress(),
	rewindAddress(), widenAddress(), callerPCAddress(), selfAddress(),
	stackTopAddress(),
}

func funcOf[F any](word *uintptr) F { return *(*F)(unsafe.Pointer(&word)) }

var (
	enterFn    = funcOf[func(*Context)](&code[0])
	leaveFn    = funcOf[func(*Context)](&code[1])
	adoptFn    = funcOf[func(*Context)](&code[2])
	releaseFn  = funcOf[func(*Context)](&code[3])
	rewindFn   = funcOf[func(*Context)](&code[4])
	widenFn    = funcOf[func(*Context)](&code[5])
	callerPCFn = funcOf[func() uintptr](&code[6])
	selfFn     = funcOf[func() uintptr](&code[7])
	stackTopFn = funcOf[func() uintptr](&code[8])
)
