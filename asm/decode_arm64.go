//go:build linux

package asm

import (
	"runtime"
	"unsafe"

	"golang.org/x/arch/arm64/arm64asm"
)

// codeAlign is how the linker aligns functions.
const codeAlign = 16

// A tracer follows what is known of the registers from one instruction to the next: a
// variable's address takes two instructions, and the comparison of its value is a
// third.
type tracer struct {
	*routine
	address [32]uintptr // that the register holds, 0 if not known
	loaded  [32]uintptr // of the variable whose value it holds
	width   [32]int     // and the width of that
	within  uintptr     // where in a structure R27 points, for what follows, 0 if it does not
}

// decode reads the machine code of the function that starts at entry.
func decode(entry uintptr) *routine {
	f := runtime.FuncForPC(entry)
	t := &tracer{routine: newRoutine(f)}
	end := endOf(f)
	for pc := f.Entry(); pc < end; pc += 4 {
		in, err := arm64asm.Decode(unsafe.Slice(at[byte](pc), 4))
		if err != nil {
			in = arm64asm.Inst{Enc: *at[uint32](pc)} // unknown to the decoder
		}
		t.add(in, pc)
	}
	return t.routine
}

// Numbers of registers that are no bases of structures, and of the one by which the
// assembler reaches what lies too far from its base.
const (
	registerTMP = 27
	registerFP  = 29
	registerSP  = 31 // or the zero register
)

// add notes what the instruction at pc does. The decoder says which it is; most of
// the numbers in it are read from its encoding, for the decoder only prints them.
func (t *tracer) add(in arm64asm.Inst, pc uintptr) {
	d, n := in.Enc&31, in.Enc>>5&31
	imm := uintptr(in.Enc >> 10 & 0xFFF)
	switch in.Op {
	case arm64asm.B, arm64asm.BL:
		if rel, ok := in.Args[0].(arm64asm.PCRel); ok {
			t.calls = append(t.calls, pc+uintptr(rel))
		}
		return
	case arm64asm.CBZ, arm64asm.CBNZ, arm64asm.TBZ, arm64asm.TBNZ:
		t.test(d)
		return
	case arm64asm.CMP, arm64asm.SUBS:
		if in.Enc&0x7FFFFC1F == 0x7100001F { // with #0
			t.test(n)
		}
	case arm64asm.ADRP:
		t.set(d, pc&^0xFFF+uintptr(in.Args[1].(arm64asm.PCRel)))
		return
	case arm64asm.ADR:
		t.set(d, pc+uintptr(in.Args[1].(arm64asm.PCRel)))
		t.calls = append(t.calls, t.address[d])
		return
	case arm64asm.ADD:
		if in.Enc&0xFFC00000 != 0x91000000 { // with a constant, 64 bits
			break
		}
		if base := t.address[n]; base != 0 {
			t.set(d, base+imm)
			t.calls = append(t.calls, base+imm)
			return
		}
		t.accesses[access{imm, 0}] = true // &p.field
		t.set(d, 0)
		if d == registerTMP {
			t.within = imm
		}
		return
	case arm64asm.LDR, arm64asm.LDRB, arm64asm.LDRH, arm64asm.LDRSB, arm64asm.LDRSH, arm64asm.LDRSW,
		arm64asm.STR, arm64asm.STRB, arm64asm.STRH:
		if in.Enc&0x3F000000 == 0x39000000 { // base and a positive offset; no floats
			width := 1 << (in.Enc >> 30)
			t.memory(d, n, imm*uintptr(width), width, in.Enc>>22&3 != 0)
			return
		}
	case arm64asm.LDP, arm64asm.STP:
		if in.Enc&0xFF007C1F == 0xA900001F|registerSP<<10 {
			break // clears memory, whatever fields that has
		}
		if in.Enc&0x7F000000 == 0x29000000 { // of words or double words, by an offset
			width := 4 << (in.Enc >> 31)
			offset := uintptr(int32(in.Enc<<10)>>25) * uintptr(width) // seven bits, signed
			t.access(n, offset, width)
			t.access(n, offset+uintptr(width), width)
		}
		t.set(in.Enc>>10&31, 0)
	}
	switch in.Enc & 0x3FC00000 {
	case 0x08000000: // a store-exclusive
		t.locked++
	}
	if in.Enc&0x3FA07C00 == 0x08A07C00 || in.Enc&0x3F200C00 == 0x38200000 { // CAS, LDADD, SWP ...
		t.locked++
	}
	t.set(d, 0) // it may have been written
}

// memory notes a load or a store of register d.
func (t *tracer) memory(d, base uint32, offset uintptr, width int, load bool) {
	address := t.address[base]
	if load {
		t.set(d, 0)
	}
	switch {
	case address != 0 && load:
		t.loads[address+offset] = width
		t.loaded[d], t.width[d] = address+offset, width
	case address == 0:
		t.access(base, offset, width)
	}
}

// access notes an access to a structure, if the register is the base of one.
func (t *tracer) access(base uint32, offset uintptr, width int) {
	switch base {
	case registerFP, registerSP:
		return
	case registerTMP:
		offset += t.within
	}
	t.accesses[access{offset, width}] = true
}

// test notes that register r is compared with 0.
func (t *tracer) test(r uint32) {
	if address := t.loaded[r]; address != 0 && r != registerSP {
		t.flags[address] = t.width[r]
	}
}

// set notes what address register r holds, 0 if that is not known.
func (t *tracer) set(r uint32, address uintptr) {
	if r != registerSP {
		t.address[r], t.loaded[r] = address, 0
	}
	if r == registerTMP {
		t.within = 0
	}
}
