package runtime

import (
	"errors"
	"fmt"

	"greenthread/asm"
)

// Remaining returns how many bytes of stack the calling body has left before it
// meets the guard, about. It is negative on the part of the guard that an
// overflow has opened. On an ordinary goroutine, and with the portable backend,
// ok is false: Go's own stacks grow.
func Remaining() (bytes int, ok bool) {
	if !native() {
		return 0, false
	}
	c := asm.Current()
	if c == nil {
		return 0, false
	}
	return c.Remaining(), true
}

// HighWater returns how deep the coroutine's stack has been, in bytes of whole
// pages, by it or by who used the same stack before. It makes a few system
// calls and does not block. The error is ErrFinished or ErrClosed after the end,
// and wraps errors.ErrUnsupported on the portable backend, or while the
// coroutine has not started and so has no stack.
func (c *Coroutine[In, Out]) HighWater() (int, error) {
	switch state := c.core.loadState(); state {
	case fresh, waiting:
		return 0, errNoStack
	case finished, closed:
		return 0, refusal(state)
	}
	t := c.core.native.Load()
	if t == nil {
		return 0, errNoStack
	}
	return t.stack.HighWater()
}

var errNoStack = fmt.Errorf("greenthread: no stack to look at: %w", errors.ErrUnsupported)

// AsStackOverflow turns what a body has recovered into a *StackOverflowError,
// if it is one: the error with which the stack of this very body has overflowed
// last, when the body calls it; or, wherever it is called, what Resume, Do or the
// next of a Pull has panicked with after an overflow. On the portable backend nothing is.
func AsStackOverflow(recovered any) (*StackOverflowError, bool) {
	if err, ok := recovered.(error); ok {
		var overflow *StackOverflowError
		if errors.As(err, &overflow) {
			return overflow, true
		}
	}
	if !native() {
		return nil, false
	}
	c := asm.Current()
	if c == nil {
		return nil, false
	}
	overflow, ok := threadOf(c).overflowOf(recovered).(*StackOverflowError)
	return overflow, ok
}
