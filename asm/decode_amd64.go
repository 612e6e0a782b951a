//go:build linux

package asm

import (
	"maps"
	"runtime"
	"unsafe"

	"golang.org/x/arch/x86/x86asm"
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
	locked   int             // instructions with a LOCK prefix, and XCHG with memory
}

// decode reads the machine code of the function that starts at entry.
func decode(entry uintptr) *routine {
	f := runtime.FuncForPC(entry)
	r := &routine{name: f.Name(), accesses: map[access]bool{},
		flags: map[uintptr]int{}, loads: map[uintptr]int{}}
	end := endOf(f)
	for pc := f.Entry(); pc < end; {
		in, err := x86asm.Decode(unsafe.Slice(at[byte](pc), 16), 64)
		if err != nil || in.Len == 0 {
			pc++ // an instruction the decoder does not know
			continue
		}
		pc += uintptr(in.Len)
		r.add(in, pc)
	}
	return r
}

// endOf returns where the code of f ends, padding included: the linker aligns
// functions to 32 bytes, so it is enough to ask there.
func endOf(f *runtime.Func) uintptr {
	const alignment = 32
	for pc := f.Entry() + alignment; ; pc += alignment {
		if g := runtime.FuncForPC(pc); g == nil || g.Entry() != f.Entry() {
			return pc
		}
	}
}

// add notes what the instruction that ends at next does.
func (r *routine) add(in x86asm.Inst, next uintptr) {
	locked := false
	for _, p := range in.Prefix {
		if p == 0 {
			break
		}
		if p&0xFF == x86asm.PrefixLOCK {
			locked = true
		}
	}
	if imm, ok := in.Args[1].(x86asm.Imm); ok && in.Op == x86asm.ADD { // unoptimized &p.field
		r.accesses[access{uintptr(imm), 0}] = true
	}
	for i, arg := range in.Args {
		switch a := arg.(type) {
		case x86asm.Rel:
			if in.Op == x86asm.CALL || in.Op == x86asm.JMP {
				r.calls = append(r.calls, next+uintptr(int64(a)))
			}
		case x86asm.Mem:
			if in.Op == x86asm.XCHG {
				locked = true
			}
			switch {
			case a.Base == x86asm.RIP && a.Index == 0:
				address := next + uintptr(a.Disp)
				if in.Op == x86asm.LEA {
					r.calls = append(r.calls, address)
				} else if i == 1 {
					r.loads[address] = in.MemBytes
				}
				if imm, ok := in.Args[1].(x86asm.Imm); in.Op == x86asm.CMP && i == 0 && ok && imm == 0 {
					r.flags[address] = in.MemBytes
				}
			case a.Base != 0 && a.Base != x86asm.RSP && a.Base != x86asm.RBP:
				width := in.MemBytes
				if in.Op == x86asm.LEA {
					width = 0
				}
				r.accesses[access{uintptr(a.Disp), width}] = true
			}
		}
	}
	if locked {
		r.locked++
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
