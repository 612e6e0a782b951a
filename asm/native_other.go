//go:build !linux || !(amd64 || arm64)

package asm

import (
	"errors"
	"fmt"
	"runtime"
)

// unsupported is what everything native returns here.
var unsupported = fmt.Errorf("asm: native contexts and kernel threads on %s/%s: %w", runtime.GOOS, runtime.GOARCH, errors.ErrUnsupported)

// A NativeContext does not exist on this system.
type NativeContext struct{}

// MakeContext returns an error that wraps errors.ErrUnsupported.
func MakeContext(*NativeContext, StackMemory, uintptr, uintptr, *NativeContext) error {
	return unsupported
}

// SwapContext panics.
func SwapContext(_, _ *NativeContext) { panic(unsupported) }

// SwapRegisters panics.
func SwapRegisters(_, _ *NativeContext) { panic(unsupported) }

// Stack returns no stack.
func (c *NativeContext) Stack() StackMemory { return StackMemory{} }

// Ended reports false.
func (c *NativeContext) Ended() bool { return false }

// SwapContextAddress returns 0.
func SwapContextAddress() uintptr { return 0 }

// SwapRegistersAddress returns 0.
func SwapRegistersAddress() uintptr { return 0 }

// A KernelThread does not exist on this system.
type KernelThread struct{}

// StartThread returns an error that wraps errors.ErrUnsupported.
func StartThread(StackMemory, uintptr, uintptr) (*KernelThread, error) { return nil, unsupported }

// TID returns 0.
func (t *KernelThread) TID() int { return 0 }

// Ended reports true.
func (t *KernelThread) Ended() bool { return true }

// Join returns an error that wraps errors.ErrUnsupported.
func (t *KernelThread) Join() error { return unsupported }

// BodyReturn returns 0.
func BodyReturn() uintptr { return 0 }

// BodyCount returns 0.
func BodyCount() uintptr { return 0 }

// BodyPing returns 0.
func BodyPing() uintptr { return 0 }

// BodyPong returns 0.
func BodyPong() uintptr { return 0 }

// PingPong cannot be made on this system.
type PingPong struct{}

// Make returns an error that wraps errors.ErrUnsupported.
func (p *PingPong) Make(_, _ StackMemory, _ bool) error { return unsupported }

// Play panics.
func (p *PingPong) Play(int) { panic(unsupported) }
