//go:build linux && !greenthread_unknown_go

package asm

import (
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/arch/x86/x86asm"
)

// TestTracerCostsALookAndNoBranch counts what a switch does for the sake of the execution
// tracer while it is off: it loads where the flag is, and the flag, and has one branch for
// this and all other reasons not to go the fast way together.
func TestTracerCostsOneLookAndASharedBranch(t *testing.T) {
	for name, pc := range map[string]uintptr{"enter": enterAddress(), "leave": leaveAddress()} {
		work := decode(pc).calls[0]
		flag := uintptr(unsafe.Pointer(&traceFlag))
		var pointer, looks, branches int
		var register x86asm.Arg
		f := runtime.FuncForPC(work)
		for at, end := f.Entry(), endOf(f); at < end; {
			in, err := x86asm.Decode(unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(nil), at)), 16), 64)
			if err != nil {
				t.Fatalf("%s: no instruction at %#x", f.Name(), at)
			}
			at += uintptr(in.Len)
			mem, isMem := in.Args[1].(x86asm.Mem)
			switch {
			case isMem && mem.Base == x86asm.RIP && at+uintptr(mem.Disp) == flag:
				pointer++
				register = in.Args[0]
			case isMem && register != nil && x86asm.Arg(mem.Base) == register:
				looks++
				register = nil // the next look is at something else
			case strings.HasPrefix(in.Op.String(), "J") && in.Op != x86asm.JMP && pointer > 0:
				branches++
			}
			if branches > 0 {
				break // what follows is done on one side only
			}
		}
		t.Logf("%s: %d loads of the flag's address, %d of the flag, %d branch", name, pointer, looks, branches)
		if pointer != 1 || looks != 1 || branches != 1 {
			t.Errorf("%s: %d loads of the flag's address, %d of the flag, %d branches; want one of each", name, pointer, looks, branches)
		}
	}
}
