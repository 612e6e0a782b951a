//go:build race && linux && (amd64 || arm64)

package asm

import (
	"runtime"
	"unsafe"
)

const raceEnabled = true

const guardMultiplier = 2

// The race detector learns here that what one side of a switch did before it
// happens before what the other side does after it.

func (c *Context) releaseRace() { runtime.RaceReleaseMerge(unsafe.Pointer(&c.raceWord)) }
func (c *Context) acquireRace() { runtime.RaceAcquire(unsafe.Pointer(&c.raceWord)) }
