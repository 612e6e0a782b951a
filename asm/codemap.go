//go:build linux && (amd64 || arm64)

package asm

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// What onStep must know about the code of this binary, found once by Check, since
// a signal handler cannot ask.

// A codeRange is a piece of code: [low, high).
type codeRange struct{ low, high uintptr }

// codeRanges has room for as many as there ever are; unused ones are empty.
type codeRanges [64]codeRange

var (
	// runtimeEnd is where the code of package runtime ends. The linker puts
	// packages in the order of their dependencies: what the runtime imports lies
	// before it, and everything else behind it.
	runtimeEnd uintptr
	// unwindCode are the functions of the runtime that a panic may pass: they call
	// deferred functions, or functions for reflection.
	unwindCode codeRanges
	// syncCode are the packages whose functions must not be left by a panic of ours.
	syncCode codeRanges
	// gates are the entries of the runtime's functions that want an m without
	// locks: those by which a goroutine gives it up, or stops the world.
	gates [32]uintptr
)

// within reports whether pc lies in one of the ranges.
//
//go:nosplit
//go:norace
//go:nocheckptr
func within(r *codeRanges, pc uintptr) bool {
	for i := range r {
		if r[i].low <= pc && pc < r[i].high {
			return true
		}
	}
	return false
}

// mapCode finds the ranges.
func mapCode() error {
	own, low := pcOf(mapCode), pcOf(gopark)
	inRuntime := func(name string) bool { // but for what is instantiated elsewhere
		return strings.HasPrefix(name, "runtime.") && !strings.Contains(name, "[")
	}
	if low > own || !inRuntime(nameOf(low)) || inRuntime(nameOf(own)) {
		return errors.New("the code of the runtime does not lie before ours")
	}
	code := around(low, inRuntime)
	runtimeEnd = code.high
	for _, pc := range checkRoots() {
		if name := nameOf(pc); (pc < runtimeEnd) != inRuntime(name) && !strings.HasPrefix(name, "runtime/") {
			return errors.New("the code of the runtime does not lie in one piece")
		}
	}
	n, gate := 0, 0
	for pc := code.low; pc < code.high; pc += codeAlign {
		f := runtime.FuncForPC(pc)
		if f == nil || f.Entry() != pc {
			continue
		}
		if isGate(f.Name()) {
			if gate == len(gates) {
				return errors.New("the functions that want no locks are too many")
			}
			gates[gate] = pc
			gate++
		}
		if !passesPanics(f.Name()) {
			continue
		}
		switch {
		case n > 0 && unwindCode[n-1].high == pc: // most of them lie side by side
			unwindCode[n-1].high = endOf(f)
		case n < len(unwindCode):
			unwindCode[n] = codeRange{pc, endOf(f)}
			n++
		default:
			return errors.New("the functions that a panic may pass are too scattered")
		}
	}
	if !slices.Contains(gates[:], mcallOf(low)) {
		return errors.New("runtime.mcall is not found")
	}
	for i, pc := range []uintptr{pcOf((*sync.Mutex).Lock), pcOf((*sync.WaitGroup).Wait)} {
		for _, callee := range append(decode(pc).calls, pc) {
			name := nameOf(callee)
			for j, prefix := range []string{"sync.", "internal/sync."} {
				if strings.HasPrefix(name, prefix) {
					in := func(name string) bool { return strings.HasPrefix(name, prefix) }
					syncCode[2*i+j] = around(callee, in)
				}
			}
		}
	}
	return nil
}

// passesPanics reports whether a panic may pass the runtime's function of that
// name.
func passesPanics(name string) bool {
	rest := strings.TrimPrefix(name, "runtime.")
	switch rest {
	case "gopanic", "Goexit", "deferreturn", "reflectcall", "goexit":
		return true
	}
	digits, ok := strings.CutPrefix(rest, "call")
	return ok && digits != "" && strings.Trim(digits, "0123456789") == ""
}

// isGate reports whether the runtime's function of that name wants an m without
// locks.
func isGate(name string) bool {
	switch strings.TrimPrefix(name, "runtime.") {
	case "mcall", "schedule", "gcStart", "semacquire1", "stopTheWorld", "stopTheWorldGC", "stopTheWorldWithSema", "forEachP":
		return true
	}
	return false
}

// mcallOf returns the entry of runtime.mcall, which gopark calls; 0 if not.
func mcallOf(gopark uintptr) uintptr {
	for _, callee := range decode(gopark).calls {
		if nameOf(callee) == "runtime.mcall" {
			return entryOf(callee)
		}
	}
	return 0
}

// atGate reports whether pc is one of the gates.
//
//go:nosplit
//go:norace
//go:nocheckptr
func atGate(pc uintptr) bool {
	for _, gate := range gates {
		if pc == gate {
			return true
		}
	}
	return false
}

// nameOf returns the name of the function at pc, "" if there is none: not that of
// one that is inlined there, so it asks at the entry.
func nameOf(pc uintptr) string {
	f := runtime.FuncForPC(pc)
	if f == nil {
		return ""
	}
	if entry := f.Entry(); entry != pc {
		f = runtime.FuncForPC(entry)
	}
	return f.Name()
}

// around returns the piece of code with pc in it whose functions have such names,
// found in large steps at first, and then in small ones at its ends. Some in
// between may have other names, which linkname has given them.
func around(pc uintptr, in func(name string) bool) codeRange {
	entry := runtime.FuncForPC(pc).Entry()
	r := codeRange{entry, entry + codeAlign}
	for _, step := range []uintptr{16 * codeAlign, codeAlign} {
		strangers := 128 * step
		for pc := r.high; pc < r.high+strangers; pc += step {
			if in(nameOf(pc)) {
				r.high = pc + step
			}
		}
		for pc := r.low - step; pc > r.low-strangers; pc -= step {
			if in(nameOf(pc)) {
				r.low = pc
			}
		}
	}
	return r
}
