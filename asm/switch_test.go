//go:build linux && (amd64 || arm64) && !greenthread_unknown_go

package asm

import (
	"bytes"
	"runtime"
	"runtime/debug"
	"runtime/trace"
	"sync/atomic"
	"testing"
	"unsafe"
)

// TestSwitchHasTwoLockedInstructions counts what the collector makes necessary:
// a switch executes both while it marks, and none otherwise.
func TestSwitchHasTwoLockedInstructions(t *testing.T) {
	for name, pc := range map[string]uintptr{
		"enter": enterAddress(), "enterShort": enterShortAddress(),
		"leave": leaveAddress(), "leaveShort": leaveShortAddress(),
	} {
		entry := decode(pc)
		if entry.locked != 0 || len(entry.calls) != 1 {
			t.Fatalf("%s: %d locked instructions, %d calls or jumps out", name, entry.locked, len(entry.calls))
		}
		work := decode(entry.calls[0])
		t.Logf("%s: %s has %d locked instructions", name, work.name, work.locked)
		if work.locked != 2 {
			t.Errorf("%s: %d locked instructions, want 2", name, work.locked)
		}
	}
}

// TestFlagsFollowTheirOwners sees the flag of write barriers go on and off with
// a collection, and the tracer's with a trace.
func TestFlagsFollowTheirOwners(t *testing.T) {
	if markFlag == &busy || traceFlag == &idle {
		t.Fatal("a flag was not found")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	runtime.GC()
	if *at[uint32](uintptr(unsafe.Pointer(markFlag))) != 0 {
		t.Error("the collector seems to mark after a full collection")
	}
	var seen, stop atomic.Bool
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		for !stop.Load() {
			if *at[uint32](uintptr(unsafe.Pointer(markFlag))) == 1 {
				seen.Store(true)
			}
			runtime.Gosched()
		}
	}()
	for range 1000 {
		if seen.Load() {
			break
		}
		runtime.GC()
	}
	stop.Store(true)
	<-watched
	if !seen.Load() {
		t.Error("1,000 collections were never seen to mark")
	}

	tracing := func() bool { return *at[uint8](uintptr(unsafe.Pointer(traceFlag))) != 0 }
	if tracing() {
		t.Skip("something traces this process already")
	}
	var buf bytes.Buffer
	if err := trace.Start(&buf); err != nil {
		t.Fatal(err)
	}
	if !tracing() {
		t.Error("a running trace does not show")
	}
	trace.Stop()
	if tracing() {
		t.Error("a stopped trace still shows")
	}
}
