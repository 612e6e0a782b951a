package futex

import (
	"errors"
	"fmt"
)

// ErrTimeout is what WaitUntil returns when the deadline came first. It has a Timeout method that returns true, so
// os.IsTimeout knows it too.
var ErrTimeout error = timeoutError{}

type timeoutError struct{}

func (timeoutError) Error() string { return "futex: deadline passed" }
func (timeoutError) Timeout() bool { return true }

// ErrChanged is what operations return that require a word to have a certain value, when it does not.
var ErrChanged = errors.New("futex: the word has changed")

// ErrAddress is found by errors.Is in every *AddressError.
var ErrAddress = errors.New("futex: bad address")

// AddressError reports a word no one can wait on: a nil pointer, an address that is not a multiple of 4, or one with no
// memory behind it (then it wraps the kernel's EFAULT).
type AddressError struct {
	Op   string  // such as "wait" or "wake"
	Addr uintptr // the address as it was given
	Err  error   // why it is bad
}

// Error names the operation, the address and what is wrong with it.
func (e *AddressError) Error() string {
	return fmt.Sprintf("futex: %s at address %#x: %v", e.Op, e.Addr, e.Err)
}

// Unwrap returns the reason.
func (e *AddressError) Unwrap() error { return e.Err }

// Is reports whether target is ErrAddress.
func (e *AddressError) Is(target error) bool { return target == ErrAddress }

var (
	errNil       = errors.New("nil, not a 4-byte word")
	errSameWord  = errors.New("the two words are one")
	errNoBits    = errors.New("futex: no bit is set, so nobody could be meant")
	errUnaligned = errors.New("not aligned: a futex word is 4 bytes, at a multiple of 4")
)
