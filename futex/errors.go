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

// ErrOwnerDied reports, to one who now holds a shared lock, that its last owner's process ended while it held it. What the
// lock guards may be half changed. Repair it and call MarkConsistent before unlocking.
var ErrOwnerDied = errors.New("futex: the owner of the lock died")

// ErrNotRecoverable reports that somebody got ErrOwnerDied and unlocked without MarkConsistent. Nobody gets that lock any more.
var ErrNotRecoverable = errors.New("futex: what the lock guards has been given up")

// ErrNotOwner reports that this process does not hold the lock it would unlock.
var ErrNotOwner = errors.New("futex: this process does not hold the lock")

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
	errNil        = errors.New("nil, not a 4-byte word")
	errSameWord   = errors.New("the two words are one")
	errUnaligned8 = errors.New("not aligned: a SharedMutex lies at a multiple of 8")
	errNoBits     = errors.New("futex: no bit is set, so nobody could be meant")
	errUnaligned  = errors.New("not aligned: a futex word is 4 bytes, at a multiple of 4")
)

// both joins two errors if there are two.
func both(one, other error) error {
	switch {
	case one == nil:
		return other
	case other == nil:
		return one
	}
	return errors.Join(one, other)
}
