package disasm

import (
	"errors"
	"fmt"
	"slices"

	"golang.org/x/arch/x86/x86asm"
)

// decodeX86 is the decoder of amd64.
func decodeX86(code []byte, pc uint64) (Instruction, error) {
	inst, err := x86asm.Decode(code, 64)
	if err != nil {
		return Instruction{}, err
	}
	in := Instruction{Length: inst.Len, Text: x86asm.GoSyntax(inst, pc, symbol)}
	next := pc + uint64(inst.Len)
	in.flow, in.target = flowX86(inst, next)
	err = in.countX86(inst, next)
	return in, err
}

// flowX86 returns where the processor goes after an instruction that ends at next.
func flowX86(inst x86asm.Inst, next uint64) (flow, uint64) {
	rel, direct := inst.Args[0].(x86asm.Rel)
	target := next + uint64(int64(rel))
	switch inst.Op {
	case x86asm.RET:
		return back, 0
	case x86asm.INT, x86asm.UD1, x86asm.UD2, x86asm.HLT:
		return nowhere, 0
	case x86asm.JMP:
		if direct {
			return jump, target
		}
		return away, 0
	case x86asm.CALL:
		if direct {
			return call, target
		}
		return away, 0
	}
	if direct {
		return branch, target
	}
	return straight, 0
}

// What instructions do to memory that is their first operand. In any other place
// it is read.
var (
	x86Reads  = []x86asm.Op{x86asm.CMP, x86asm.TEST, x86asm.PUSH, x86asm.JMP, x86asm.CALL, x86asm.LDMXCSR, x86asm.FLDCW, x86asm.BT}
	x86Writes = []x86asm.Op{x86asm.MOV, x86asm.POP, x86asm.STMXCSR, x86asm.FNSTCW, x86asm.MOVUPS, x86asm.MOVAPS,
		x86asm.MOVDQU, x86asm.MOVQ, x86asm.MOVD, x86asm.MOVSS, x86asm.MOVSD_XMM, x86asm.SETE, x86asm.SETNE}
	x86Changes = []x86asm.Op{x86asm.ADD, x86asm.SUB, x86asm.AND, x86asm.OR, x86asm.XOR, x86asm.INC, x86asm.DEC,
		x86asm.NEG, x86asm.NOT, x86asm.XCHG, x86asm.XADD, x86asm.CMPXCHG, x86asm.CMPXCHG8B, x86asm.CMPXCHG16B}
	x86Ignores = []x86asm.Op{x86asm.LEA, x86asm.NOP} // an operand that is only an address
)

// countX86 counts the accesses of an instruction that ends at next.
func (in *Instruction) countX86(inst x86asm.Inst, next uint64) error {
	switch inst.Op { // those by way of SP
	case x86asm.PUSH, x86asm.CALL:
		in.Stores++
	case x86asm.POP, x86asm.RET:
		in.Loads++
	}
	for i, arg := range inst.Args {
		m, ok := arg.(x86asm.Mem)
		if !ok || slices.Contains(x86Ignores, inst.Op) {
			continue
		}
		switch {
		case slices.Contains(x86Changes, inst.Op) && (i == 0 || inst.Op == x86asm.XCHG):
			in.Loads++
			in.Stores++
		case i > 0 || slices.Contains(x86Reads, inst.Op):
			in.Loads++
			if m.Base == x86asm.RIP {
				in.data = next + uint64(m.Disp)
			}
		case slices.Contains(x86Writes, inst.Op):
			in.Stores++
		default:
			return fmt.Errorf("what does %v do to its memory?", inst.Op)
		}
		in.Locked = in.Locked || inst.Op == x86asm.XCHG
	}
	if slices.ContainsFunc(inst.Prefix[:], func(p x86asm.Prefix) bool { return p != 0 && p&0xFF == x86asm.PrefixLOCK }) {
		in.Locked = true
	}
	if in.Locked && in.Stores == 0 {
		return errors.New("it is locked, but changes no memory")
	}
	return nil
}
