//go:build linux && (amd64 || arm64) && !greenthread_unknown_go

package asm

import (
	"runtime"
	"strings"
	"sync"
	"testing"
)

func TestCodeMapKnowsWhoseCodeIsWhose(t *testing.T) {
	for pc := pcOf(gopark); pc < runtimeEnd; pc += codeAlign {
		if f := runtime.FuncForPC(pc); f == nil || strings.HasPrefix(f.Name(), "greenthread/") {
			t.Fatalf("%#x before the end of the runtime's code is not the runtime's", pc)
		}
	}
	for pc := runtimeEnd + 16*codeAlign; pc < pcOf(mapCode); pc += codeAlign {
		if name := nameOf(pc); strings.HasPrefix(name, "runtime.") && !strings.Contains(name, "[") {
			t.Fatalf("%s lies behind the end of the runtime's code", name)
		}
	}
	if !within(&unwindCode, pcOf(runtime.Goexit)) || within(&unwindCode, pcOf(runtime.GC)) {
		t.Error("a panic may pass Goexit, but not GC")
	}
	if !within(&syncCode, pcOf((*sync.Mutex).Lock)) || within(&syncCode, pcOf(mapCode)) {
		t.Error("Mutex.Lock is in package sync, mapCode is not")
	}
	if !atGate(mcallOf(pcOf(gopark))) || atGate(pcOf(gopark)) {
		t.Error("mcall is a gate, gopark is not")
	}
}
