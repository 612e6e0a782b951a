package disasm

import (
	"encoding/hex"
	"strings"
	"testing"
)

// effect is what an instruction is expected to do.
type effect struct {
	code          string // hexadecimal
	loads, stores int
	locked        bool
	flow          flow
	target        uint64
}

const testPC = 0x1000

func testDecoder(t *testing.T, d decoder, effects map[string]effect) {
	for what, want := range effects {
		code, err := hex.DecodeString(strings.ReplaceAll(want.code, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		in, err := d(code, testPC)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		got := effect{want.code, in.Loads, in.Stores, in.Locked, in.flow, in.target}
		if got != want || in.Length != len(code) {
			t.Errorf("%s (%s), %d bytes: got %+v, want %+v", what, in.Text, in.Length, got, want)
		}
	}
}

func TestX86InstructionsAreCounted(t *testing.T) {
	testDecoder(t, decodeX86, map[string]effect{
		"MOV to memory":       {code: "48 89 08", stores: 1},
		"MOV from memory":     {code: "48 8b 08", loads: 1},
		"MOV of registers":    {code: "48 89 c8"},
		"MOV to thread-local": {code: "64 48 89 14 25 f8 ff ff ff", stores: 1},
		"MOVZX":               {code: "45 0f b6 11", loads: 1},
		"CMP with memory":     {code: "41 83 39 00", loads: 1},
		"TEST with memory":    {code: "84 44 24 80", loads: 1},
		"ADD to memory":       {code: "48 83 00 01", loads: 1, stores: 1},
		"OR from memory":      {code: "4c 0b 57 30", loads: 1},
		"LOCK CMPXCHG":        {code: "f0 0f b1 7e 08", loads: 1, stores: 1, locked: true},
		"CMPXCHG":             {code: "0f b1 7e 08", loads: 1, stores: 1},
		"LOCK ADD":            {code: "f0 48 83 00 01", loads: 1, stores: 1, locked: true},
		"XCHG with memory":    {code: "87 0e", loads: 1, stores: 1, locked: true},
		"XCHG of registers":   {code: "48 87 d1"},
		"LEA":                 {code: "48 8d 41 08"},
		"NOP with an operand": {code: "0f 1f 40 00"},
		"XORPS":               {code: "45 0f 57 ff"},
		"STMXCSR":             {code: "0f ae 5f 40", stores: 1},
		"LDMXCSR":             {code: "0f ae 57 40", loads: 1},
		"FNSTCW":              {code: "d9 7f 44", stores: 1},
		"FLDCW":               {code: "d9 6f 44", loads: 1},
		"PUSH":                {code: "55", stores: 1},
		"POP":                 {code: "5d", loads: 1},
		"RET":                 {code: "c3", loads: 1, flow: back},
		"CALL":                {code: "e8 10 00 00 00", stores: 1, flow: call, target: testPC + 5 + 0x10},
		"CALL by a register":  {code: "ff d1", stores: 1, flow: away},
		"CALL by memory":      {code: "ff 12", loads: 1, stores: 1, flow: away},
		"JMP":                 {code: "eb fe", flow: jump, target: testPC},
		"JMP by a register":   {code: "41 ff e3", flow: away},
		"JNE":                 {code: "75 02", flow: branch, target: testPC + 4},
		"JNE, far":            {code: "0f 85 60 01 00 00", flow: branch, target: testPC + 6 + 0x160},
		"UD2":                 {code: "0f 0b", flow: nowhere},
		"INT 3":               {code: "cc", flow: nowhere},
	})
	for what, code := range map[string][]byte{
		"REP MOVSB, whose accesses are not known": {0xf3, 0xa4},
		"no instruction": {0x06},
	} {
		if in, err := decodeX86(code, testPC); err == nil {
			t.Errorf("%s: %+v", what, in)
		}
	}
}

func TestLoadsOfVariablesHaveTheirAddress(t *testing.T) {
	in, err := decodeX86([]byte{0x48, 0x8b, 0x15, 0x00, 0x02, 0x00, 0x00}, testPC) // MOVQ 0x200(IP), DX
	if want := uint64(testPC + 7 + 0x200); err != nil || in.data != want {
		t.Errorf("the address is %#x, %v; want %#x", in.data, err, want)
	}
}

func TestBranchPastOneInstructionIsTakenOnARM64(t *testing.T) {
	for code, taken := range map[[4]byte]bool{
		{0x49, 0x00, 0x00, 0xb4}: true,  // CBZ R9, 2(PC)
		{0x69, 0x00, 0x00, 0xb4}: false, // CBZ R9, 3(PC)
		{0x02, 0x00, 0x00, 0x14}: false, // B 2(PC), which is no branch
	} {
		if in, err := decodeARM64(code[:], testPC); err != nil || in.Taken != taken {
			t.Errorf("%s: taken %v, %v, want %v", in.Text, in.Taken, err, taken)
		}
	}
}

// Two instructions make the address of a variable there.
func TestLoadsOfVariablesHaveTheirAddressOnARM64(t *testing.T) {
	const pc = 0x209d88
	var p Path
	for i, code := range [][]byte{
		{0xfb, 0x65, 0x00, 0xf0}, // ADRP 13365248(PC), R27: the page at 0x209000 + 13365248
		{0x69, 0x5b, 0x43, 0xf9}, // MOVD 1712(R27), R9
		{0x69, 0x5b, 0x43, 0xf8}, // LDUR, which has no page
	} {
		in, err := decodeARM64(code, pc+4*uint64(i))
		if err != nil {
			t.Fatal(err)
		}
		p.add(in)
	}
	if want := uint64(0x209000 + 13365248 + 1712); p.Code[1].data != want || p.Code[0].data != 0 || p.Code[2].data != 0 {
		t.Errorf("the addresses are %#x, %#x, %#x, want the second %#x", p.Code[0].data, p.Code[1].data, p.Code[2].data, want)
	}
	if !p.reads(p.Code[1].data) || p.reads(1) {
		t.Error("the path does not know what it reads")
	}
}

func TestARM64InstructionsAreCounted(t *testing.T) {
	testDecoder(t, decodeARM64, map[string]effect{
		"LDR":                {code: "41 00 40 f9", loads: 1},
		"LDP":                {code: "e0 07 40 a9", loads: 1},
		"LDAR":               {code: "41 fc df c8", loads: 1},
		"STR":                {code: "41 00 00 f9", stores: 1},
		"STP with writeback": {code: "fd 7b bf a9", stores: 1},
		"STLR":               {code: "41 fc 9f c8", stores: 1},
		"LDXR":               {code: "41 7c 5f c8", loads: 1},
		"STXR":               {code: "43 7c 01 c8", stores: 1, locked: true},
		"STLXR":              {code: "43 fc 01 c8", stores: 1, locked: true},
		"ADD":                {code: "20 04 00 91"},
		"BR":                 {code: "60 00 1f d6", flow: away},
		"BLR":                {code: "60 00 3f d6", flow: away},
		"RET":                {code: "c0 03 5f d6", flow: back},
		"B":                  {code: "02 00 00 14", flow: jump, target: testPC + 8},
		"BL":                 {code: "02 00 00 94", flow: call, target: testPC + 8},
		"B.NE":               {code: "41 00 00 54", flow: branch, target: testPC + 8},
		"CBZ":                {code: "41 00 00 b4", flow: branch, target: testPC + 8},
		"CASAL of 32 bits":   {code: "86 fc fb 88", loads: 1, stores: 1, locked: true},
		"CAS of 64 bits":     {code: "41 7c a0 c8", loads: 1, stores: 1, locked: true},
		"LDADDAL":            {code: "41 00 e0 f8", loads: 1, stores: 1, locked: true},
		"SWPAL":              {code: "41 80 e0 f8", loads: 1, stores: 1, locked: true},
		"LDUR":               {code: "41 80 5f f8", loads: 1},
		"padding":            {code: "00 00 00 00", flow: nowhere},
		"BRK":                {code: "00 00 20 d4", flow: nowhere},
	})
	names := map[string][]byte{
		"CASALW R27, (R4), R6":  {0x86, 0xfc, 0xfb, 0x88},
		"CASD R0, (R2), R1":     {0x41, 0x7c, 0xa0, 0xc8},
		"LDADDALD R0, (R2), R1": {0x41, 0x00, 0xe0, 0xf8},
		"SWPALD R0, (R2), R1":   {0x41, 0x80, 0xe0, 0xf8},
	}
	for want, code := range names {
		if in, err := decodeARM64(code, testPC); err != nil || in.Text != want {
			t.Errorf("% x is %q, %v, want %s", code, in.Text, err, want)
		}
	}
	if in, err := decodeARM64([]byte{0xff, 0xff, 0xff, 0xff}, testPC); err == nil {
		t.Errorf("no instruction: %+v", in)
	}
}
