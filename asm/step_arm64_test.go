//go:build linux

package asm

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"golang.org/x/arch/arm64/arm64asm"
)

// A stepping is a context with a slot, and what step looks at: a signal frame, and code.
type stepping struct {
	c     Context
	frame [ucontextState + 8]byte
	code  [slotBlock + 2]uint32
}

func newStepping(t *testing.T, code ...uint32) *stepping {
	t.Helper()
	s := new(stepping)
	copy(s.code[:], code)
	if !s.c.takeSlot() {
		t.Fatal("there is no slot")
	}
	t.Cleanup(func() { s.c.lastStep(s.at()) })
	s.set(ucontextPC, s.start())
	return s
}

func (s *stepping) at() uintptr                   { return addressOf(&s.frame[0]) }
func (s *stepping) start() uintptr                { return addressOf(&s.code[0]) }
func (s *stepping) set(offset int, value uintptr) { *at[uintptr](s.at() + uintptr(offset)) = value }
func (s *stepping) get(offset int) uintptr        { return *at[uintptr](s.at() + uintptr(offset)) }

// do steps over one instruction that the handler must do by itself, and returns how far
// the program counter has moved.
func (s *stepping) do(t *testing.T, in uint32) (moved int64, called bool) {
	t.Helper()
	s.code[0] = in
	s.set(ucontextPC, s.start())
	placed, called := s.c.step(s.at())
	if placed {
		t.Fatalf("%#x was put into a slot", in)
	}
	return int64(s.get(ucontextPC) - s.start()), called
}

// target is how far an instruction jumps, by the decoder.
func target(t *testing.T, in uint32) int64 {
	t.Helper()
	code := [4]byte{byte(in), byte(in >> 8), byte(in >> 16), byte(in >> 24)}
	decoded, err := arm64asm.Decode(code[:])
	if err != nil {
		t.Fatalf("%#x: %v", in, err)
	}
	for _, arg := range decoded.Args {
		if rel, ok := arg.(arm64asm.PCRel); ok {
			return int64(rel)
		}
	}
	t.Fatalf("%v goes nowhere", decoded)
	return 0
}

func TestStepFollowsBranches(t *testing.T) {
	s := newStepping(t)
	for range 10_000 {
		word, r, value := rand.Uint32(), rand.Uint32N(31), rand.Uint64()&rand.Uint64()&rand.Uint64()
		s.set(ucontextR0+8*int(r), uintptr(value))
		taken := func(in uint32, yes bool) {
			t.Helper()
			want := int64(4)
			if yes {
				want = target(t, in)
			}
			if moved, called := s.do(t, in); moved != want || called {
				t.Fatalf("%#x with %#x moved by %d (called %v), want %d", in, value, moved, called, want)
			}
		}
		jump := 0x14000000 | word>>6
		taken(jump, true)
		if moved, called := s.do(t, jump|1<<31); moved != target(t, jump) || !called || s.get(ucontextLR) != s.start()+4 {
			t.Fatalf("%#x moved by %d, called %v, LR %#x", jump|1<<31, moved, called, s.get(ucontextLR))
		}
		s.set(ucontextR0+8*int(r), uintptr(value))
		if rand.IntN(2) == 0 {
			s.set(ucontextR0+8*int(r), uintptr(value&^0xFFFFFFFF))
			value &^= 0xFFFFFFFF
		}
		compare := word&(0x7FFFF<<5) | r
		taken(0xB4000000|compare, value == 0)
		taken(0xB5000000|compare, value != 0)
		taken(0x34000000|compare, uint32(value) == 0)
		taken(0x35000000|compare, uint32(value) != 0)
		taken(0xB5000000|compare|31, false) // the zero register
		bit := rand.Uint32N(64)
		test := word&(0x3FFF<<5) | bit&31<<19 | bit>>5<<31 | r
		taken(0x36000000|test, value>>bit&1 == 0)
		taken(0x37000000|test, value>>bit&1 != 0)
	}
}

func TestStepKnowsTheConditions(t *testing.T) {
	s := newStepping(t)
	numbers := []int64{0, 1, -1, 2, -2, 1 << 62, -1 << 62, 1<<63 - 1, -1 << 63}
	for _, a := range numbers {
		for _, b := range numbers {
			difference := a - b
			var flags uintptr // as CMP sets them
			if difference < 0 {
				flags |= 8
			}
			if difference == 0 {
				flags |= 4
			}
			if uint64(a) >= uint64(b) {
				flags |= 2
			}
			overflow := (a < b) != (difference < 0)
			if overflow {
				flags |= 1
			}
			s.set(ucontextState, flags<<28)
			for condition, want := range []bool{a == b, a != b, uint64(a) >= uint64(b), uint64(a) < uint64(b),
				difference < 0, difference >= 0, overflow, !overflow, uint64(a) > uint64(b), uint64(a) <= uint64(b),
				a >= b, a < b, a > b, a <= b, true, true} {
				if moved, _ := s.do(t, 0x54000000|8<<5|uint32(condition)); (moved == 32) != want || moved != 32 && moved != 4 {
					t.Errorf("condition %d after comparing %d with %d: moved by %d", condition, a, b, moved)
				}
			}
		}
	}
}

func TestStepFollowsRegisters(t *testing.T) {
	s := newStepping(t)
	s.set(ucontextR0+8*30, 0x7000)
	for in, want := range map[uint32]bool{0xD61F03C0: false, 0xD63F03C0: true, 0xD65F03C0: false} { // BR, BLR, RET X30
		s.set(ucontextLR, 0x7000)
		_, called := s.do(t, in)
		if s.get(ucontextPC) != 0x7000 || called != want {
			t.Errorf("%#x went to %#x, called %v", in, s.get(ucontextPC), called)
		}
		if want && s.get(ucontextLR) != s.start()+4 {
			t.Errorf("%#x set LR to %#x, not behind itself", in, s.get(ucontextLR))
		}
	}
}

func TestStepComputesAddresses(t *testing.T) {
	s := newStepping(t)
	for range 1000 {
		in := rand.Uint32()&^(0x9F<<24) | 0x10<<24
		r := in & 31
		if moved, _ := s.do(t, in); moved != 4 {
			t.Fatalf("%#x moved by %d", in, moved)
		}
		if want := s.start() + uintptr(target(t, in)); r != 31 && s.get(ucontextR0+8*int(r)) != want {
			t.Fatalf("ADR %#x: %#x, want %#x", in, s.get(ucontextR0+8*int(r)), want)
		}
		s.do(t, in|1<<31)
		if want := s.start()&^0xFFF + uintptr(target(t, in|1<<31)); r != 31 && s.get(ucontextR0+8*int(r)) != want {
			t.Fatalf("ADRP %#x: %#x, want %#x", in|1<<31, s.get(ucontextR0+8*int(r)), want)
		}
	}
}

// exits returns where the slot's breakpoints lead, by their order.
func (s *stepping) exits(t *testing.T, from int) (targets []int64) {
	t.Helper()
	info := make([]byte, 16)
	info[siginfoCode] = 1
	code := slotCode + (s.c.stepSlot-1)*slotSize
	for i := from; i < slotSize/4; i++ {
		s.set(ucontextPC, code+4*uintptr(i))
		next, owner := exitOf(addressOf(&info[0]), s.at())
		if owner != &s.c {
			break
		}
		targets = append(targets, int64(next-s.start()))
	}
	return targets
}

func (s *stepping) slotWords() []uint32 {
	return unsafe.Slice(at[uint32](slotCode+(s.c.stepSlot-1)*slotSize), slotSize/4)
}

func TestStepRunsOtherInstructionsInASlot(t *testing.T) {
	s := newStepping(t, 0x91000421) // ADD $1, R1
	if placed, called := s.c.step(s.at()); !placed || called {
		t.Fatal("it was not placed")
	}
	if words := s.slotWords(); words[0] != 0x91000421 {
		t.Errorf("the slot has %#x", words[0])
	}
	if to := s.exits(t, 1); len(to) != 1 || to[0] != 4 {
		t.Errorf("it goes on at %d, want 4", to)
	}
	s.set(ucontextPC, slotCode+(s.c.stepSlot-1)*slotSize)
	leaveSlot(s.at())
	if s.get(ucontextPC) != s.start() {
		t.Error("the program counter is not put back")
	}
}

func TestStepCopiesConstantsAlong(t *testing.T) {
	s := newStepping(t, 0x58000043, 0, 0x11223344, 0x55667788) // LDR X3, 8 bytes ahead
	if placed, _ := s.c.step(s.at()); !placed {
		t.Fatal("it was not placed")
	}
	words := s.slotWords()
	ahead := target(t, words[0]) / 4
	if words[ahead] != 0x11223344 || words[ahead+1] != 0x55667788 || words[0]&31 != 3 {
		t.Errorf("the slot has %#x", words[:8])
	}
}

func TestStepKeepsAReservationLoopInOnePiece(t *testing.T) {
	loop := []uint32{
		0xC85FFC20, // LDAXR (R1), R0
		0xEB02001F, // CMP R2, R0
		0x54000061, // BNE over the next three
		0xC803FC24, // STLXR R4, (R1), R3
		0x35FFFF83, // CBNZ R3, back to the first
		0xD503201F, // NOOP
	}
	s := newStepping(t, loop...)
	if placed, _ := s.c.step(s.at()); !placed {
		t.Fatal("it was not placed")
	}
	words := s.slotWords()
	for _, i := range []int{0, 1, 3} {
		if words[i] != loop[i] {
			t.Errorf("instruction %d became %#x", i, words[i])
		}
	}
	if to := s.exits(t, 4); len(to) != 2 || to[0] != 16 || to[1] != 20 {
		t.Errorf("it goes on at %d, want behind the store, and where the branch leads", to)
	}
	if at := 2 + target(t, words[2])/4; at != 5 {
		t.Errorf("the branch leads to word %d, want the second breakpoint", at)
	}
	s.set(ucontextPC, slotCode+(s.c.stepSlot-1)*slotSize+12)
	leaveSlot(s.at())
	if s.get(ucontextPC) != s.start()+12 {
		t.Error("the program counter is not put back into the loop")
	}
}

func TestSlotsAreGivenBack(t *testing.T) {
	var held []*stepping
	for range slotCount {
		s := new(stepping)
		if !s.c.takeSlot() {
			t.Fatalf("only %d slots", len(held))
		}
		held = append(held, s)
	}
	if new(stepping).c.takeSlot() {
		t.Error("there is one slot too many")
	}
	for _, s := range held {
		s.c.lastStep(s.at())
	}
	for _, s := range slots {
		if s.owner != 0 {
			t.Error("a slot is still taken")
		}
	}
}
