//go:build linux

package asm

import (
	"runtime"
	"unsafe"

	"golang.org/x/arch/x86/x86asm"
)

// codeAlign is how the linker aligns functions.
const codeAlign = 32

// decode reads the machine code of the function that starts at entry.
func decode(entry uintptr) *routine {
	f := runtime.FuncForPC(entry)
	r := newRoutine(f)
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
