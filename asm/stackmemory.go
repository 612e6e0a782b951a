package asm

import (
	"errors"
	"fmt"
)

// StackMemory is the memory that native code takes as its stack: [Lo, Hi). It
// is the caller's: mapped before it is used, unmapped or used again only when
// nothing runs on it any more. A guard, if there is one, lies below Lo.
type StackMemory struct {
	Lo uintptr // lowest usable address
	Hi uintptr // one past the highest usable address, aligned to StackAlign
}

// Size returns the number of bytes.
func (s StackMemory) Size() uintptr { return s.Hi - s.Lo }

// String shows the bounds.
func (s StackMemory) String() string { return fmt.Sprintf("[%#x, %#x)", s.Lo, s.Hi) }

// What stacks of native code have to satisfy.
const (
	// StackAlign is what StackMemory.Hi is a multiple of, in bytes.
	StackAlign = 16
	// MinContextStack is the size of the smallest stack of a native context.
	MinContextStack = 2 << 10
	// MinThreadStack is the size of the smallest stack of a kernel thread, of
	// which threadBlock bytes are taken by its thread-local storage.
	MinThreadStack = 4 << 10
)

// What native contexts and kernel threads are refused for, to be found by
// errors.Is. The error that is returned names the values.
var (
	// ErrStackMemory: the stack is nil, not aligned or too small.
	ErrStackMemory = errors.New("unusable stack")
	// ErrStackBusy: a kernel thread that was not joined has this stack.
	ErrStackBusy = errors.New("the stack belongs to a thread that was not joined")
	// ErrEntry: the address of the code is 0.
	ErrEntry = errors.New("no entry")
	// ErrShadowStack: the kernel keeps a shadow stack for this thread.
	ErrShadowStack = errors.New("shadow stacks are on")
	// ErrThreadLimit: the kernel makes no more threads; see ThreadLimitError.
	ErrThreadLimit = errors.New("no more kernel threads")
)

// check reports what is wrong with s and entry for op, which needs a stack of
// at least so many bytes.
func (s StackMemory) check(op string, entry, least uintptr) error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("asm: %s: %w %v: %s", op, ErrStackMemory, s, fmt.Sprintf(format, args...))
	}
	switch {
	case entry == 0:
		return fmt.Errorf("asm: %s: %w: the address of the code is 0", op, ErrEntry)
	case s.Lo == 0 || s.Hi == 0:
		return bad("a bound is 0")
	case s.Hi%StackAlign != 0:
		return bad("the upper bound %#x is %d mod %d, but must be aligned to %d bytes", s.Hi, s.Hi%StackAlign, StackAlign, StackAlign)
	case s.Hi <= s.Lo:
		return bad("the upper bound is not above the lower one")
	case s.Size() < least:
		return bad("it has %d bytes, but must have at least %d", s.Size(), least)
	}
	return nil
}
