package disasm

import (
	"fmt"
	"runtime"
	"strings"
	"unsafe"
)

// An Instruction is one of a path.
type Instruction struct {
	Function string `json:"function"` // where it lies
	Offset   uint64 `json:"offset"`   // in that function, bytes
	Length   int    `json:"length"`   // bytes
	Text     string `json:"text"`     // in the syntax of Go's assembler
	Loads    int    `json:"loads"`
	Stores   int    `json:"stores"`
	Locked   bool   `json:"locked"`
	Taken    bool   `json:"taken"` // a branch that leads past one instruction, see doc.go

	entry  uint64 // of the function
	flow   flow
	target uint64 // of a direct jump, branch or call
	data   uint64 // the address that it loads from, if that is known

	// Where an address does not fit into one instruction, page is what this one puts
	// into a register, and base what it adds to one to load from there.
	page, base *inRegister
}

// inRegister is a number and the register that it concerns.
type inRegister struct {
	register uint32
	value    uint64
}

// A flow says where the processor goes on after an instruction.
type flow int

const (
	straight flow = iota // at the next one
	branch               // at the next one or at target
	jump                 // at target
	call                 // at target, and comes back
	away                 // at an address from a register or memory
	back                 // at its caller
	nowhere              // it is a trap
)

// A decoder decodes the instruction at the start of code, which lies at pc.
type decoder func(code []byte, pc uint64) (Instruction, error)

// decoders are by GOARCH.
var decoders = map[string]decoder{
	"amd64": decodeX86,
	"arm64": decodeARM64,
}

// longest is the length of the longest instruction, in bytes.
const longest = 16

// decode decodes the instruction at pc in this program.
func decode(pc uint64) (Instruction, error) {
	d := decoders[runtime.GOARCH]
	if d == nil {
		return Instruction{}, fmt.Errorf("there is no decoder for %s", runtime.GOARCH)
	}
	address := uintptr(pc)
	code := unsafe.Slice(*(**byte)(unsafe.Pointer(&address)), longest)
	in, err := d(code, pc)
	if err != nil {
		return in, fmt.Errorf("%s: % x: %w", place(pc), code[:min(8, len(code))], err)
	}
	if f := runtime.FuncForPC(address); f != nil {
		in.entry = uint64(f.Entry())
		in.Function, in.Offset = shortName(f), pc-in.entry
	}
	if in.flow == branch { // within the function, so its offset says more
		in.Text = strings.Replace(in.Text, fmt.Sprintf("%#x", in.target), fmt.Sprintf("%#x", in.target-in.entry), 1)
	}
	return in, nil
}

// place names an address by its function.
func place(pc uint64) string {
	f := runtime.FuncForPC(uintptr(pc))
	if f == nil {
		return fmt.Sprintf("%#x", pc)
	}
	return fmt.Sprintf("%s+%#x", shortName(f), pc-uint64(f.Entry()))
}

// shortName is a function's name without the path of its package.
func shortName(f *runtime.Func) string {
	name := runtime.FuncForPC(f.Entry()).Name() // not that of one that is inlined
	name = strings.ReplaceAll(name, "[...]", "")
	return name[strings.LastIndex(name, "/")+1:]
}

// symbol names the functions of this program for the decoders' texts.
func symbol(address uint64) (name string, base uint64) {
	if f := runtime.FuncForPC(uintptr(address)); f != nil && uint64(f.Entry()) == address {
		return shortName(f), address
	}
	return "", 0
}
