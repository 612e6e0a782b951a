package stackpool

import (
	"errors"
	"fmt"
)

// The errors of this package, to be found by errors.Is. What is returned also
// says which pool and which stack it is about.
var (
	// ErrConfig: a value in a Config is out of its range; see ConfigError.
	ErrConfig = errors.New("bad configuration")
	// ErrStackLimit: there can be no more stacks; see LimitError.
	ErrStackLimit = errors.New("no more stacks")
	// ErrGuard: a guard could not be put in force.
	ErrGuard = errors.New("guard refused")
	// ErrClosed: the pool is closed.
	ErrClosed = errors.New("the pool is closed")
	// ErrLiveStacks: Close found stacks in use; see LiveError.
	ErrLiveStacks = errors.New("stacks are still in use")
	// ErrDoublePut: the stack was put back already.
	ErrDoublePut = errors.New("the stack is put back twice")
	// ErrForeignStack: the stack belongs to another pool, or is nil.
	ErrForeignStack = errors.New("the stack belongs to another pool")
	// ErrInUse: the stack is occupied, or the caller itself runs on it.
	ErrInUse = errors.New("the stack is in use")
	// ErrUsedAfterPut: the stack was written to after it was put back; only
	// Config.Poison finds that out.
	ErrUsedAfterPut = errors.New("the stack was used after it was put back")
	// ErrNotLive: the stack is not between Get and Put.
	ErrNotLive = errors.New("the stack is not live")
)

// errNotMade is the error of a zero Pool.
var errNotMade = fmt.Errorf("stackpool: %w: the pool was not made by New", ErrConfig)

// StackError reports a call on a stack, or on a pool with a stack, that was
// refused. errors.Is finds the reason in it.
type StackError struct {
	Op    string // what was tried: "put", "rearm", ...
	Stack string // the stack, as its String method shows it
	Pool  string // name of the pool that was asked
	Err   error  // why not
}

// Error names the pool, the stack and the reason.
func (e *StackError) Error() string {
	return fmt.Sprintf("stackpool: pool %q: %s of %s: %v", e.Pool, e.Op, e.Stack, e.Err)
}

// Unwrap returns the reason.
func (e *StackError) Unwrap() error { return e.Err }

// fail makes the error of an operation on this stack.
func (s *Stack) fail(op string, err error) error {
	return &StackError{Op: op, Stack: s.String(), Pool: s.class.pool.name, Err: err}
}

// LiveError is what Close returns when stacks are still in use. errors.Is finds
// ErrLiveStacks in it.
type LiveError struct {
	Pool string // name of the pool
	Live int    // how many stacks are in use
}

// Error names the pool and the number of stacks.
func (e *LiveError) Error() string {
	return fmt.Sprintf("stackpool: pool %q: close with %d live stacks, which stay valid until they are put back", e.Pool, e.Live)
}

// Unwrap returns ErrLiveStacks.
func (e *LiveError) Unwrap() error { return ErrLiveStacks }

// LimitError says which limit keeps a pool from making one more stack. errors.Is
// finds ErrStackLimit in it, and the errno of the kernel where there was one.
type LimitError struct {
	// Limit is the name of the limit, as the place to change it calls it:
	// "MaxStacks", "vm.max_map_count", "RLIMIT_AS", "RLIMIT_DATA",
	// "RLIMIT_MEMLOCK", "vm.overcommit_memory", that of a control group
	// ("memory.max", or "memory.limit_in_bytes" in version 1), "address space" or
	// "memory".
	Limit string
	// Value is what the limit is set to, in its own unit: stacks, maps, or bytes.
	// For "address space" and "memory" it is how many bytes the process has
	// mapped.
	Value uint64
	// Remedy says what can be done about it.
	Remedy string
	// Err is the error of the system call that was refused; nil for MaxStacks.
	Err error
}

// Error names the limit, its value and the remedy.
func (e *LimitError) Error() string {
	msg := fmt.Sprintf("stackpool: %v: %s is %d", ErrStackLimit, e.Limit, e.Value)
	if e.Err != nil {
		msg += " (" + e.Err.Error() + ")"
	}
	return msg + "; " + e.Remedy
}

// Unwrap returns ErrStackLimit and the error of the system call.
func (e *LimitError) Unwrap() []error {
	if e.Err == nil {
		return []error{ErrStackLimit}
	}
	return []error{ErrStackLimit, e.Err}
}
