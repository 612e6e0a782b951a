//go:build linux && (amd64 || arm64)

package asm

import (
	"maps"
	"runtime"
)

// An access is a memory operand of a decoded instruction: offset(base).
type access struct {
	offset uintptr
	width  int // bytes, 0 where only the address is taken
}

// A routine is what the decoder saw of one function of this binary.
type routine struct {
	name     string
	accesses map[access]bool
	flags    map[uintptr]int // addresses of variables compared with 0, and their widths
	loads    map[uintptr]int // addresses of variables read into a register, likewise
	calls    []uintptr       // functions that it calls, jumps to or refers to
	locked   int             // atomic read-modify-writes
}

// newRoutine returns an empty record of f.
func newRoutine(f *runtime.Func) *routine {
	return &routine{name: f.Name(), accesses: map[access]bool{},
		flags: map[uintptr]int{}, loads: map[uintptr]int{}}
}

// endOf returns where the code of f ends, padding included: the linker aligns
// functions, so it is enough to ask there.
func endOf(f *runtime.Func) uintptr {
	for pc := f.Entry() + codeAlign; ; pc += codeAlign {
		if g := runtime.FuncForPC(pc); g == nil || g.Entry() != f.Entry() {
			return pc
		}
	}
}

// merge adds what is known of another function of the same name: a wrapper
// between two calling conventions has the name of what it wraps.
func (r *routine) merge(other *routine) {
	maps.Copy(r.accesses, other.accesses)
	maps.Copy(r.flags, other.flags)
	maps.Copy(r.loads, other.loads)
	r.locked += other.locked
}

// reach decodes the functions that can be reached from roots, breadth first,
// until done says of those found so far that they are enough. done is asked
// after each function whose name is in want.
func reach(roots []uintptr, want map[string]bool, done func(map[string]*routine) bool) map[string]*routine {
	const limit = 3000 // functions; some 100 are enough
	found := map[string]*routine{}
	seen := map[uintptr]bool{}
	for queue := roots; len(queue) > 0 && len(seen) < limit; queue = queue[1:] {
		pc := entryOf(queue[0])
		if pc == 0 || seen[pc] {
			continue
		}
		seen[pc] = true
		r := decode(pc)
		queue = append(queue, r.calls...)
		if !want[r.name] {
			continue
		}
		if known := found[r.name]; known != nil {
			known.merge(r)
		} else {
			found[r.name] = r
		}
		if done(found) {
			break
		}
	}
	return found
}

// entryOf returns the entry of the function at pc, or of the one that the func
// value at pc leads to, or 0. Every pc that is not a function's lies in the
// data of this binary, so that it can be read.
func entryOf(pc uintptr) uintptr {
	if f := runtime.FuncForPC(pc); f != nil {
		if f.Entry() == pc {
			return pc
		}
		return 0
	}
	if pc%8 != 0 {
		return 0
	}
	if f := runtime.FuncForPC(*at[uintptr](pc)); f != nil && f.Entry() == *at[uintptr](pc) {
		return f.Entry()
	}
	return 0
}
