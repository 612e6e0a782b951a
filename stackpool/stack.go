package stackpool

import (
	"fmt"
	"sync/atomic"
	"unsafe"
)

// The states of a stack, and who moves it from one to the next:
//
//	         Get                 Put
//	(cut) ────────► stateLive ────────► stateCached ───► stateGone
//	                 │  ▲  ▲                │       Trim, Close: the
//	          Occupy │  │  └────────────────┘       arena is unmapped
//	                 ▼  │ Vacate       Get
//	              stateOccupied
//
// Every arrow that leaves stateLive or stateOccupied is a compare-and-swap, so
// that of two callers who both believe that the stack is theirs one is refused. A
// cached stack is moved only by who holds it: the cache's lock decides that.
const (
	stateCached uint32 = iota
	stateLive
	stateOccupied
	stateGone
)

// Stack describes one stack of a [Pool]. The pointer is stable and is the stack's
// identity from Get to Put; the memory it describes begins at Bottom and ends
// below Top. Methods that only read may be called from anywhere at any time. A Stack
// must not be copied, and none but those that Get returns is of any use.
//
// A Stack fills a cache line, so that two threads with neighbouring stacks don't
// fight for one.
type Stack struct {
	class  *class
	arena  *arena
	low    uintptr        // lowest address of the slot, where its guard begins
	top    uintptr        // where the slot ends
	bottom atomic.Uintptr // lowest usable address, where its guard ends
	id     uint64         // counts from 1 in the pool
	state  atomic.Uint32
	kind   atomic.Uint32 // GuardKind in force
	tick   uint32        // of the pool, when the depot got it
	heat   uint8         // how much memory it may have, while cached
	odd    bool          // has a guard of another size than the class
	kept   uint16        // with heatPart: pages at the top
}

// Bottom returns the lowest usable address, which is the end of the guard. It is
// aligned to a page.
func (s *Stack) Bottom() uintptr { return s.bottom.Load() }

// Top returns the address just past the highest usable byte, where an empty stack
// begins to grow downwards. It is aligned to a page, and the memory from there
// upwards is a guard too (except with GuardNone); with Config.Colours it is aligned
// to 64 bytes only, and less than a page of nothing lies in between.
func (s *Stack) Top() uintptr {
	if n := s.class.colours; n > 1 {
		return s.top - uintptr(s.id%n)*cacheLine
	}
	return s.top
}

// Size returns the usable size in bytes: what was asked for, in whole pages but for
// Config.Colours.
func (s *Stack) Size() int { return int(s.Top() - s.Bottom()) }

// GuardBottom returns the lowest address of the guard. With GuardNone it equals
// Bottom.
func (s *Stack) GuardBottom() uintptr { return s.low }

// GuardSize returns the size of the guard in bytes, 0 with GuardNone.
func (s *Stack) GuardSize() int { return int(s.Bottom() - s.low) }

// Guard returns the kind of guard that is in force below this stack:
// GuardMadvise, GuardMprotect or GuardNone, never GuardAuto.
func (s *Stack) Guard() GuardKind { return GuardKind(s.kind.Load()) }

// Pool returns the pool that the stack belongs to.
func (s *Stack) Pool() *Pool { return s.class.pool }

// String describes the stack in one line: number, bounds, guard and state.
func (s *Stack) String() string {
	if s == nil || s.class == nil {
		return "no stack"
	}
	state := "in an unknown state"
	switch s.state.Load() {
	case stateCached:
		state = "cached"
	case stateLive:
		state = "live"
	case stateOccupied:
		state = "occupied"
	case stateGone:
		state = "unmapped"
	}
	return fmt.Sprintf("stack %d of %q [%#x, %#x) with a guard of %d bytes (%v), %s",
		s.id, s.class.pool.name, s.Bottom(), s.Top(), s.GuardSize(), s.Guard(), state)
}

// Bytes returns the usable memory from Bottom to Top, or nil if the stack is no
// longer mapped. It is what native code and tests read and write; the garbage
// collector does not look into it, so it must hold no Go pointers. The slice must
// be dropped before the stack is put back: after the pool has unmapped the
// memory, the addresses may become anything.
func (s *Stack) Bytes() []byte {
	if s.state.Load() == stateGone {
		return nil
	}
	return unsafe.Slice((*byte)(foreign(s.Bottom())), s.Size())
}

// Occupy marks a live stack as one that something lives on, a suspended thread
// for one: Put refuses it with ErrInUse until Vacate. It is optional, costs one
// compare-and-swap and never blocks. The error is ErrNotLive if the stack is not
// live or occupied already.
func (s *Stack) Occupy() error {
	if !s.state.CompareAndSwap(stateLive, stateOccupied) {
		return s.fail("occupy", ErrNotLive)
	}
	return nil
}

// Vacate ends what Occupy began. The error is ErrNotLive if the stack was not
// occupied. It costs one compare-and-swap and never blocks.
func (s *Stack) Vacate() error {
	if !s.state.CompareAndSwap(stateOccupied, stateLive) {
		return s.fail("vacate", ErrNotLive)
	}
	return nil
}

// under tells whether the caller runs on this stack.
func (s *Stack) under() bool {
	var here byte
	bottom := s.Bottom()
	return uintptr(unsafe.Pointer(&here))-bottom < s.top-bottom
}

// foreign makes a pointer to memory that is not Go's. The detour tells vet and
// checkptr that no Go object is meant. Addresses are kept as numbers everywhere
// else, because a pointer that outlives its mapping may come to point into the Go
// heap, and the collector rightly dies of that.
func foreign(addr uintptr) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(&addr))
}
