package futex

import "unsafe"

// wordSize is the size and the alignment of a futex word, on every architecture.
const wordSize = 4

// checkAddress refuses, before the kernel does and with a better reason, what cannot be a futex word.
func checkAddress(op string, addr *uint32) error {
	at := uintptr(unsafe.Pointer(addr))
	switch {
	case addr == nil:
		return &AddressError{Op: op, Addr: at, Err: errNil}
	case at%wordSize != 0:
		return &AddressError{Op: op, Addr: at, Err: errUnaligned}
	}
	return nil
}

// checkPair is checkAddress for operations on two words, which must be two.
func checkPair(op string, first, second *uint32) error {
	if err := checkAddress(op, first); err != nil {
		return err
	}
	if err := checkAddress(op, second); err != nil {
		return err
	}
	if first == second {
		return &AddressError{Op: op, Addr: uintptr(unsafe.Pointer(second)), Err: errSameWord}
	}
	return nil
}

// onHeap keeps a word from ever lying on a goroutine's stack.
//
// The kernel remembers a sleeper by the address of its word. A goroutine's stack is copied elsewhere when it grows or
// shrinks, and takes its variables along: a waiter would go on sleeping on the old address, a waker would call at
// the new one, and nobody would ever find out why. The assignment below is never made, but the compiler cannot know,
// so for its escape analysis every pointer that reaches this package escapes, and whatever variable it points to is
// allocated on the heap, which does not move. That costs one load and a branch not taken, beside a system call.
//
// Pointers into mapped memory, or made from a uintptr, are the caller's own affair.
func onHeap(addr *uint32) *uint32 {
	if never {
		sink = addr
		return sink
	}
	return addr
}

var (
	never bool // and really never: nothing sets it
	sink  *uint32
)
