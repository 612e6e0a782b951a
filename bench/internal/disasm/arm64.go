package disasm

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/arch/arm64/arm64asm"
)

// decodeARM64 is the decoder of arm64.
func decodeARM64(code []byte, pc uint64) (Instruction, error) {
	inst, err := arm64asm.Decode(code)
	if err != nil {
		return Instruction{}, err
	}
	in := Instruction{Length: 4, Text: arm64asm.GoSyntax(inst, pc, symbol, nil)}
	in.flow, in.target = flowARM64(inst, pc)
	return in, in.countARM64(inst)
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
		if strings.HasPrefix(name, "CAS") || strings.HasPrefix(name, "SWP") {
			return errors.New("an atomic operation that is not counted")
		}
	}
	return nil
}
