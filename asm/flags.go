//go:build linux && amd64

package asm

import (
	"errors"
	"runtime"
	"runtime/debug"
	"unsafe"
)

// Words that the switch looks at before it chooses how to go, see
// switch_amd64.s. Until Check has found the runtime's own, both say "busy",
// which is slow and always right.
var (
	markFlag  = &busy // nonzero while the collector marks
	traceFlag = &idle // nonzero (first byte) while the execution tracer runs

	busy uint32 = 1
	idle uint32
)

// findFlags finds the two words in the machine code that tests them.
func findFlags() error {
	var mark uintptr
	for address, width := range decode(pcOf(storePointer)).flags {
		if width == 4 && mark == 0 {
			mark = address
		}
	}
	if mark == 0 {
		return errors.New("the flag of write barriers does not show in the code of a pointer store")
	}
	want := map[string]bool{"runtime.ready": true, "runtime.park_m": true, "runtime.traceEnabled": true}
	seen := reach(checkRoots(), want, func(found map[string]*routine) bool {
		return found["runtime.ready"] != nil && found["runtime.park_m"] != nil
	})
	ready, park := seen["runtime.ready"], seen["runtime.park_m"]
	if ready == nil || park == nil {
		return errors.New("the code of runtime.ready or runtime.park_m is not found")
	}
	var tracing []uintptr
	for address, width := range ready.flags {
		if width == 1 && park.flags[address] == 1 {
			tracing = append(tracing, address)
		}
	}
	if enabled := seen["runtime.traceEnabled"]; len(tracing) == 0 && enabled != nil { // not inlined
		for address, width := range enabled.loads {
			if width == 1 {
				tracing = append(tracing, address)
			}
		}
	}
	if len(tracing) != 1 {
		return errors.New("the flag of the execution tracer does not show in the code of runtime.ready")
	}
	markFlag, traceFlag = at[uint32](mark), at[uint32](tracing[0])
	return nil
}

// storePointer is compiled with a write barrier, which tests the flag first.
//
//go:noinline
func storePointer(p **byte, b *byte) { *p = b }

// checkRoots returns functions from which the decoder reaches what it looks
// for. Every Go function leads to runtime.newstack.
func checkRoots() []uintptr {
	return []uintptr{
		pcOf(gopark), pcOf(goready), pcOf(entersyscall), pcOf(runtime.UnlockOSThread),
		pcOf(debug.SetPanicOnFault), pcOf(runtime.Goexit), pcOf(checkRoots),
	}
}

// pcOf returns the address of the code of a func value.
func pcOf[F any](f F) uintptr { return **(**uintptr)(unsafe.Pointer(&f)) }

// entersyscall is only looked at, never called.
//
//go:linkname entersyscall runtime.entersyscall
func entersyscall()
