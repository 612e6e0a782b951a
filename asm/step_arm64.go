//go:build linux

package asm

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// No program can make this CPU trap after an instruction. So an instruction is copied
// into a slot, memory of ours that may be run, with a breakpoint behind it, and runs
// there. Instructions that depend on where they are (branches, ADR, loads from the
// code) cannot: the handler does their work itself, or, for the loads, copies
// the constant too.
//
// A loop of load-exclusive and store-exclusive would never end that way, because each
// signal ends the reservation. It is copied as a whole, with a breakpoint behind it,
// and one for each of its exits.
//
// Such signals as may come meanwhile see a program counter that is in none of Go's
// functions, which Go takes for foreign code. Where Go's handler is to make a panic
// of a fault, the program counter is put back first.

const (
	slotCount = 64     // contexts that step at the same time
	slotSize  = 32 * 4 // bytes
	slotExits = 6      // breakpoints of one slot
	slotBlock = 16     // instructions of a loop at most
	breakMark = 0x6740 // in a breakpoint: the number of the exit is added
	brk       = 0xD4200000
)

// slotCode is where the slots are, 0 if there is no such memory.
var slotCode uintptr

// A slot is what belongs to one piece of slotCode.
type slot struct {
	owner  uintptr            // the Context that steps, 0 if none
	origin uintptr            // where the instruction comes from
	exits  [slotExits]uintptr // where to go on after each breakpoint
}

var slots [slotCount]slot

func swapOwner(p *uintptr, old, new uintptr) bool
func flushCode(from, to uintptr)

// mapSlots gets the memory that instructions are run in.
func mapSlots() error {
	if slotCode != 0 {
		return nil
	}
	p, err := unix.MmapPtr(-1, 0, nil, slotCount*slotSize, unix.PROT_READ|unix.PROT_WRITE|unix.PROT_EXEC,
		unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return fmt.Errorf("no memory that may be both written and run, for steps after an overflow: %w", err)
	}
	slotCode = uintptr(p)
	return nil
}

// slotAt returns the number of the slot that pc is in.
//
//go:norace
//go:nocheckptr
func slotAt(pc uintptr) (n uintptr, ok bool) {
	n = (pc - slotCode) / slotSize
	return n, slotCode != 0 && pc >= slotCode && n < slotCount
}

// slotOf and exit are indexed accesses without the check of the index, for whose panic the
// signal stack has no room.

//go:norace
//go:nocheckptr
func slotOf(n uintptr) *slot {
	return at[slot](uintptr(unsafe.Pointer(&slots)) + n*unsafe.Sizeof(slot{}))
}

//go:norace
//go:nocheckptr
func (s *slot) exit(n uintptr) *uintptr {
	return at[uintptr](uintptr(unsafe.Pointer(&s.exits)) + n*unsafe.Sizeof(n))
}

// takeSlot makes a slot the context's, if it has none. It reports false when all
// are taken.
//
//go:norace
//go:nocheckptr
func (c *Context) takeSlot() bool {
	if c.stepSlot != 0 {
		return true
	}
	if slotCode == 0 {
		return false
	}
	for n := range uintptr(slotCount) {
		if s := slotOf(n); s.owner == 0 && swapOwner(&s.owner, 0, uintptr(unsafe.Pointer(c))) {
			c.stepSlot = n + 1
			return true
		}
	}
	return false
}

// firstStep makes the next instruction run in a slot, if it does not already.
//
//go:norace
//go:nocheckptr
func (c *Context) firstStep(frame uintptr) bool {
	if _, ok := slotAt(*at[uintptr](frame + ucontextPC)); ok {
		return true
	}
	if !c.takeSlot() {
		return false
	}
	placed, _ := c.step(frame)
	return placed // the instruction that has faulted is none that we do ourselves
}

// lastStep undoes firstStep.
//
//go:norace
//go:nocheckptr
func (c *Context) lastStep(frame uintptr) {
	if n := c.stepSlot; n != 0 {
		leaveSlot(frame)
		c.stepSlot = 0
		swapOwner(&slotOf(n-1).owner, uintptr(unsafe.Pointer(c)), 0)
	}
}

// leaveSlot puts the program counter back to where the instruction comes from, if
// it stands at one in a slot.
//
//go:norace
//go:nocheckptr
func leaveSlot(frame uintptr) {
	pc := at[uintptr](frame + ucontextPC)
	if n, ok := slotAt(*pc); ok {
		*pc = slotOf(n).origin + (*pc-slotCode)%slotSize
	}
}

// exitOf returns where the program goes on after the breakpoint at which it stands, and
// whose that is.
//
//go:norace
//go:nocheckptr
func exitOf(info, frame uintptr) (next uintptr, owner *Context) {
	pc := *at[uintptr](frame + ucontextPC)
	n, ok := slotAt(pc)
	if !ok || *at[int32](info + siginfoCode) <= 0 {
		return 0, nil
	}
	exit := uintptr(*at[uint32](pc)-brk)>>5 - breakMark
	s := slotOf(n)
	if exit >= slotExits || s.owner == 0 {
		return 0, nil
	}
	return *s.exit(exit), at[Context](s.owner)
}

// onStep decides after each instruction. It reports false for a SIGTRAP that is
// none of ours.
//
//go:norace
//go:nocheckptr
func (c *Context) onStep(info, frame, g, m uintptr) bool {
	next, owner := exitOf(info, frame)
	if owner != c {
		return strayStep(info, frame)
	}
	*at[uintptr](frame + ucontextPC) = next
	called := false
	for c.keepStepping(frame, g, m, called) {
		var placed bool
		if placed, called = c.step(frame); placed {
			return true
		}
	}
	c.stopStepping(frame, m)
	return true
}

// strayStep ends the stepping of a kernel thread that runs something else now.
//
//go:norace
//go:nocheckptr
func strayStep(info, frame uintptr) bool {
	next, owner := exitOf(info, frame)
	if owner == nil {
		leaveSlot(frame)
		return false
	}
	*at[uintptr](frame + ucontextPC) = next
	if m := owner.stepM; m != 0 {
		owner.stopStepping(frame, m)
	}
	return true
}

// step does the instruction at the program counter, or puts it into the slot and
// the program counter there; placed says which. called says that it was a call.
//
//go:norace
//go:nocheckptr
func (c *Context) step(frame uintptr) (placed, called bool) {
	pc := at[uintptr](frame + ucontextPC)
	in := *at[uint32](*pc)
	switch {
	case in&0x7C000000 == 0x14000000: // B, BL
		if in>>31 != 0 {
			*at[uintptr](frame + ucontextLR) = *pc + 4
		}
		*pc += words(in, 0, 26)
		return false, in>>31 != 0
	case in&0xFF000000 == 0x54000000: // B.cond
		if holds(in&15, *at[uintptr](frame + ucontextState)>>28) {
			*pc += words(in, 5, 19)
		} else {
			*pc += 4
		}
		return false, false
	case in&0x7E000000 == 0x34000000: // CBZ, CBNZ
		value := readRegister(frame, in&31)
		if in>>31 == 0 {
			value &= 1<<32 - 1
		}
		if (value == 0) == (in&(1<<24) == 0) {
			*pc += words(in, 5, 19)
		} else {
			*pc += 4
		}
		return false, false
	case in&0x7E000000 == 0x36000000: // TBZ, TBNZ
		bit := in>>19&31 | in>>31<<5
		if (readRegister(frame, in&31)>>bit&1 == 0) == (in&(1<<24) == 0) {
			*pc += words(in, 5, 14)
		} else {
			*pc += 4
		}
		return false, false
	case in&0x1F000000 == 0x10000000: // ADR, ADRP
		offset := words(in, 5, 19) | uintptr(in>>29&3)
		base := *pc
		if in>>31 != 0 {
			base, offset = base&^0xFFF, offset<<12
		}
		if r := in & 31; r != 31 {
			*at[uintptr](frame + ucontextR0 + 8*uintptr(r)) = base + offset
		}
		*pc += 4
		return false, false
	case in&0xFF9FFC1F == 0xD61F0000: // BR, BLR, RET
		to := readRegister(frame, in>>5&31)
		called = in>>21&3 == 1
		if called {
			*at[uintptr](frame + ucontextLR) = *pc + 4
		}
		*pc = to
		return false, called
	}
	c.place(pc, in)
	return true, false
}

// place copies the instruction at pc, or the loop that it begins, into the slot,
// and sets pc there.
//
//go:norace
//go:nocheckptr
func (c *Context) place(pc *uintptr, in uint32) {
	s := slotOf(c.stepSlot - 1)
	code := slotCode + (c.stepSlot-1)*slotSize
	end := code + 8
	s.origin, s.exits[0] = *pc, *pc+4
	switch {
	case in&0x3B000000 == 0x18000000: // a load from the code
		literal := *pc + words(in, 5, 19)
		for i := range uintptr(4) {
			*at[uint32](code + 16 + 4*i) = *at[uint32](literal + 4*i)
		}
		*at[uint32](code) = in&^(1<<24-1<<5) | 4<<5 // 4 words ahead
		end = code + 32
	case in&0x3FC00000 == 0x08400000: // a load-exclusive
		if n := s.copyLoop(code, *pc); n != 0 {
			end = code + n
			break
		}
		fallthrough
	default:
		*at[uint32](code) = in
	}
	if s.exits[0] == *pc+4 {
		*at[uint32](code + 4) = brk | breakMark<<5
	}
	flushCode(code, end)
	*pc = code
}

// copyLoop copies the instructions from pc to the next store-exclusive, if they
// are few and it knows them all, and returns how many bytes of the slot it has used.
//
//go:norace
//go:nocheckptr
func (s *slot) copyLoop(code, pc uintptr) uintptr {
	n := uintptr(1)
	for in := *at[uint32](pc + 4); in&0x3FC00000 != 0x08000000; in = *at[uint32](pc + 4*n) { // a store-exclusive
		if n++; n == slotBlock {
			return 0
		}
	}
	n++
	end := pc + 4*n
	exit := uintptr(1)
	for i := uintptr(0); i < n; i++ {
		from, to := pc+4*i, code+4*i
		in := *at[uint32](from)
		low, width := uint32(5), uint32(19)
		switch {
		case in&0xFF000000 == 0x54000000, in&0x7E000000 == 0x34000000: // B.cond, CBZ, CBNZ
		case in&0x7E000000 == 0x36000000: // TBZ, TBNZ
			width = 14
		case in&0xFC000000 == 0x14000000: // B
			low, width = 0, 26
		case in&0x1C000000 == 0x14000000, in&0x1F000000 == 0x10000000, in&0x3B000000 == 0x18000000:
			return 0 // other branches and system calls, ADR, loads from the code
		default:
			*at[uint32](to) = in
			continue
		}
		target := from + words(in, low, width)
		if target < pc || target >= end { // to a breakpoint of its own instead
			if exit == slotExits {
				return 0
			}
			*s.exit(exit) = target
			target = from + code + 4*(n+exit) - to
			exit++
		}
		mask := (uint32(1)<<width - 1) << low
		*at[uint32](to) = in&^mask | uint32((target-from)/4)<<low&mask
	}
	s.exits[0] = end
	for i := range exit {
		*at[uint32](code + 4*(n+i)) = brk | uint32(breakMark+i)<<5
	}
	return 4 * (n + exit)
}

// words returns a signed field of an instruction that counts words, in bytes.
//
//go:norace
//go:nocheckptr
func words(in, low, width uint32) uintptr {
	return uintptr(int32(in<<(32-low-width))>>(32-width)) << 2
}

// readRegister returns a register, of which the last is the zero.
//
//go:norace
//go:nocheckptr
func readRegister(frame uintptr, r uint32) uintptr {
	if r == 31 {
		return 0
	}
	return *at[uintptr](frame + ucontextR0 + 8*uintptr(r))
}

// holds reports whether a condition holds with the flags NZCV.
//
//go:norace
//go:nocheckptr
func holds(condition uint32, flags uintptr) bool {
	n, z, c, v := flags&8 != 0, flags&4 != 0, flags&2 != 0, flags&1 != 0
	var yes bool
	switch condition >> 1 {
	case 0:
		yes = z
	case 1:
		yes = c
	case 2:
		yes = n
	case 3:
		yes = v
	case 4:
		yes = c && !z
	case 5:
		yes = n == v
	case 6:
		yes = n == v && !z
	default:
		return true
	}
	return yes == (condition&1 == 0)
}

// callerAt returns the return address at the entry of a function.
//
//go:norace
//go:nocheckptr
func callerAt(frame, _ uintptr) uintptr { return *at[uintptr](frame + ucontextLR) }

// blocksSignals reports whether the next instruction is a system call after which
// SIGTRAP may be blocked, or the process another: a breakpoint would kill it then.
//
//go:norace
//go:nocheckptr
func blocksSignals(pc, frame uintptr) bool {
	if *at[uint32](pc) != 0xD4000001 { // SVC
		return false
	}
	switch *at[uintptr](frame + ucontextR8) {
	case sysRtSigprocmask, sysClone, sysExecve, sysExecveat, sysClone3:
		return true
	}
	return false
}

// checksStack reports whether the function that starts at pc loads the g's stackguard0
// first of all.
//
//go:norace
//go:nocheckptr
func checksStack(pc uintptr) bool { return *at[uint32](pc) == 0xF9400B90 } // MOVD 16(g), R16
