package disasm

import (
	"encoding/binary"
	"fmt"
	"strings"

	"golang.org/x/arch/arm64/arm64asm"
)

// decodeARM64 is the decoder of arm64.
func decodeARM64(code []byte, pc uint64) (Instruction, error) {
	word := binary.LittleEndian.Uint32(code)
	if in, ok := atomicARM64(word); ok {
		return in, nil
	}
	inst, err := arm64asm.Decode(code)
	if err != nil {
		return Instruction{}, err
	}
	in := Instruction{Length: 4, Text: arm64asm.GoSyntax(inst, pc, symbol, nil)}
	in.flow, in.target = flowARM64(inst, pc)
	in.Taken = in.flow == branch && in.target == pc+8
	in.page, in.base = addressARM64(word, pc)
	return in, in.countARM64(inst)
}

// atomicARM64 decodes what x/arch does not know: the padding between functions, and
// the atomic operations of ARMv8.1, which are one instruction each.
func atomicARM64(word uint32) (Instruction, bool) {
	in := Instruction{Length: 4, Loads: 1, Stores: 1, Locked: true}
	s, n, t := word>>16&31, word>>5&31, word&31
	width := [...]string{"B", "H", "W", "D"}[word>>30]
	switch {
	case word == 0:
		return Instruction{Length: 4, Text: "UDF $0", flow: nowhere}, true
	case word&0x3FA07C00 == 0x08A07C00:
		order := [...]string{"", "L", "A", "AL"}[word>>21&2|word>>15&1]
		in.Text = fmt.Sprintf("CAS%s%s R%d, (R%d), R%d", order, width, s, n, t)
		return in, true
	case word&0x3B208C00 == 0x38200000 || word&0x3B20FC00 == 0x38208000:
		name := [...]string{"LDADD", "LDCLR", "LDEOR", "LDOR", "LDSMAX", "LDSMIN", "LDUMAX", "LDUMIN", "SWP"}[word>>12&15]
		order := [...]string{"", "L", "A", "AL"}[word>>22&3]
		in.Text = fmt.Sprintf("%s%s%s R%d, (R%d), R%d", name, order, width, s, n, t)
		return in, true
	}
	return Instruction{}, false
}

// addressARM64 returns what ADRP puts into a register, or the register and the
// offset that a load of a doubleword adds to it: together they make the address of a
// variable.
func addressARM64(word uint32, pc uint64) (page, base *inRegister) {
	switch {
	case word&0x9F000000 == 0x90000000:
		pages := int64(int32(word<<8)>>11)&^3 | int64(word>>29&3) // bits 5 to 23, then 29 and 30
		return &inRegister{word & 31, pc&^0xFFF + uint64(pages<<12)}, nil
	case word&0xFFC00000 == 0xF9400000:
		return nil, &inRegister{word >> 5 & 31, uint64(word>>10&0xFFF) << 3}
	}
	return nil, nil
}

// flowARM64 returns where the processor goes after the instruction at pc.
func flowARM64(inst arm64asm.Inst, pc uint64) (flow, uint64) {
	var target uint64
	for _, arg := range inst.Args {
		if rel, ok := arg.(arm64asm.PCRel); ok {
			target = pc + uint64(int64(rel))
		}
	}
	switch inst.Op {
	case arm64asm.RET:
		return back, 0
	case arm64asm.BR, arm64asm.BLR:
		return away, 0
	case arm64asm.BL:
		return call, target
	case arm64asm.BRK, arm64asm.HLT:
		return nowhere, 0
	case arm64asm.CBZ, arm64asm.CBNZ, arm64asm.TBZ, arm64asm.TBNZ:
		return branch, target
	case arm64asm.B:
		if _, conditional := inst.Args[0].(arm64asm.Cond); conditional {
			return branch, target
		}
		return jump, target
	}
	return straight, 0
}

// countARM64 counts the accesses. Which kind it is, the name tells: LDR, LDP,
// LDAR load, STR, STP, STLR store. An exclusive pair (LDXR, STXR and their kin) is
// what there is in place of a locked operation; the store of the two counts.
func (in *Instruction) countARM64(inst arm64asm.Inst) error {
	name := inst.Op.String()
	switch {
	case strings.HasPrefix(name, "LD"):
		in.Loads++
	case strings.HasPrefix(name, "ST"):
		in.Stores++
		in.Locked = strings.Contains(name, "X")
	default:
		for _, arg := range inst.Args {
			switch arg.(type) {
			case arm64asm.MemImmediate, arm64asm.MemExtend:
				if strings.HasPrefix(name, "PRF") {
					return nil
				}
				return fmt.Errorf("what does %s do to its memory?", name)
			}
		}
	}
	return nil
}
