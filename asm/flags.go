//go:build linux && (amd64 || arm64)

package asm

import (
	"errors"
	"runtime"
	"runtime/debug"
	"slices"
	"unsafe"
)

// Words that the switch looks at before it chooses how to go, see
// switch_amd64.s. Until Check has found the runtime's own, both say "busy",
// which is slow and always right.
var (
	markFlag    = &busy // nonzero while the collector marks
	traceFlag   = &idle // nonzero (first byte) while the execution tracer runs
	profileFlag = &idle // nonzero (first byte) while a goroutine profile is taken

	busy uint32 = 1
	idle uint32
)

// findFlags finds the words in the machine code that tests them.
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
	want := map[string]bool{
		"runtime.ready": true, "runtime.park_m": true, "runtime.traceEnabled": true,
		"runtime.execute": true, "runtime.newproc1": true,
	}
	var tracing, profiling []uintptr
	reach(checkRoots(), want, func(found map[string]*routine) bool {
		tracing = traceFlags(found["runtime.ready"], found["runtime.park_m"], found["runtime.traceEnabled"])
		profiling = bothTest(found["runtime.execute"], found["runtime.newproc1"], tracing)
		return len(tracing) > 0 && len(profiling) > 0
	})
	if len(tracing) != 1 {
		return errors.New("the flag of the execution tracer does not show in the code of runtime.ready")
	}
	if len(profiling) != 1 {
		return errors.New("the flag of the goroutine profile does not show in the code of runtime.execute")
	}
	markFlag, traceFlag, profileFlag = at[uint32](mark), at[uint32](tracing[0]), at[uint32](profiling[0])
	return nil
}

// traceFlags returns what may be the tracer's flag: the byte that both ready and
// park compare with 0, or, if that is a function of its own, what enabled reads.
func traceFlags(ready, park, enabled *routine) (addresses []uintptr) {
	if enabled != nil {
		for address, width := range enabled.loads {
			if width == 1 {
				addresses = append(addresses, address)
			}
		}
		return addresses
	}
	return bothTest(ready, park, nil)
}

// bothTest returns the bytes that both functions compare with 0, but for some.
func bothTest(a, b *routine, but []uintptr) (addresses []uintptr) {
	if a == nil || b == nil {
		return nil
	}
	for address, width := range a.flags {
		if width == 1 && b.flags[address] == 1 && !slices.Contains(but, address) {
			addresses = append(addresses, address)
		}
	}
	return addresses
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
		pcOf(debug.SetPanicOnFault), pcOf(runtime.Goexit), pcOf(checkRoots), pcOf(startHere), pcOf(getLabels),
	}
}

// pcOf returns the address of the code of a func value.
func pcOf[F any](f F) uintptr { return **(**uintptr)(unsafe.Pointer(&f)) }

// getLabels and entersyscall are only looked at, never called.
//
//go:linkname getLabels runtime/pprof.runtime_getProfLabel
func getLabels() unsafe.Pointer

//
//go:linkname entersyscall runtime.entersyscall
func entersyscall()
