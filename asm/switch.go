//go:build linux && (amd64 || arm64)

package asm

import "unsafe"

// The assembly functions below take their argument and give their result in
// registers, as compiled Go functions do, so they are declared without any:
// Go code must call them through the func values that follow.

func enter()
func enterShort()
func leave()
func leaveShort()
func hop()
func prefetch()
func adopt()
func restart()
func release()
func rewind()
func widen()
func divert()
func callerPC()
func self()
func current()
func bottom()

// publish stores value at address, after everything that was stored before.
//
//go:noescape
func publish(address uintptr, value uint32)

func enterAddress() uintptr
func enterShortAddress() uintptr
func leaveAddress() uintptr
func hopAddress() uintptr
func prefetchAddress() uintptr
func leaveShortAddress() uintptr
func adoptAddress() uintptr
func releaseAddress() uintptr
func rewindAddress() uintptr
func widenAddress() uintptr
func divertAddress() uintptr
func callerPCAddress() uintptr
func selfAddress() uintptr
func currentAddress() uintptr

// funcOf makes a func value of a word that holds the address of the code.
// Calling the assembly through one skips the wrapper that moves arguments to the
// stack.
func funcOf[F any](word *uintptr) F { return *(*F)(unsafe.Pointer(&word)) }

func funcAt[F any](address uintptr) F { return funcOf[F](&address) }

var (
	enterFn    = funcAt[func(*Context)](enterAddress())
	leaveFn    = funcAt[func(*Context)](leaveAddress())
	hopFn      = funcAt[func(uintptr)](hopAddress())
	prefetchFn = funcAt[func(uintptr)](prefetchAddress())
	adoptFn    = funcAt[func(*Context)](adoptAddress())
	releaseFn  = funcAt[func(*Context)](releaseAddress())
	rewindFn   = funcAt[func(*Context)](rewindAddress())
	widenFn    = funcAt[func(*Context)](widenAddress())
	divertFn   = funcAt[func(*Context)](divertAddress())
	selfFn     = funcAt[func() uintptr](selfAddress())
)

// What the assembly calls when a switch needs more than an assembly function
// should do.
var (
	enterTracedFn = (*Context).enterTraced
	leaveTracedFn = (*Context).leaveTraced
	hopTracedFn   = hopTraced
	leaveDirtyFn  = (*Context).leaveDirty
	refusedFn     = refused
)
