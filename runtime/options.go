package runtime

import (
	"context"
	"fmt"

	"greenthread/stackpool"
)

// Limits of [WithStackSize], in bytes. The largest is what Go's own check of
// stack sizes lets pass.
const (
	MinStackSize     = 16 << 10
	DefaultStackSize = stackpool.DefaultSize
	MaxStackSize     = 128 << 20
	MinGuardSize     = 32 << 10 // of the guards of a pool for WithPool
)

// An Option changes how a coroutine, a thread or the stack of a Do is made. A bad one, nil
// included, is reported by the call that needs the stack, as ErrBadOption.
type Option func(*config)

type config struct {
	size int
	pool *stackpool.Pool
	name string
	ctx  context.Context
	// carries says that a panic goes to Join
	carries bool
	err     error // of the first bad option
}

func configOf(options []Option) (c config) {
	for _, o := range options {
		if o == nil {
			c.fail(fmt.Errorf("%w: nil", ErrBadOption))
			continue
		}
		o(&c)
	}
	return c
}

func (c *config) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// WithStackSize sets the usable size of the stack in bytes, rounded up to
// pages; from MinStackSize to MaxStackSize (anything else, 0 and negative ones
// included, is ErrBadOption), DefaultStackSize if the option is not given.
// Memory is only used as it is touched. The portable backend ignores it.
func WithStackSize(bytes int) Option {
	return func(c *config) {
		if bytes < MinStackSize || bytes > MaxStackSize {
			c.fail(fmt.Errorf("%w: stack size %d bytes, it must be from %d to %d", ErrBadOption, bytes, MinStackSize, MaxStackSize))
		}
		c.size = bytes
	}
}

// WithPool takes the stack from p, whose stacks must be within the limits of
// WithStackSize, and whose guards at least MinGuardSize; it wins over
// WithStackSize. The portable backend ignores it. Idle threads keep their
// stacks: to close p, call Trim(0) first, and wait a moment, since the threads that
// it ends give their stacks back by themselves; p's Close returns a
// *stackpool.LiveError until then. A nil p is ErrBadOption; a closed one is
// stackpool.ErrClosed, where a new stack is needed.
func WithPool(p *stackpool.Pool) Option {
	return func(c *config) {
		if p == nil {
			c.fail(fmt.Errorf("%w: the pool is nil", ErrBadOption))
		}
		c.pool = p
	}
}

// WithName names the coroutine or thread in errors and in fatal messages.
func WithName(name string) Option {
	return func(c *config) { c.name = name }
}

// InContext gives a thread its [Context]; without, it is one that ends when its
// runtime is closed. A nil ctx is ErrBadOption. Coroutines and Do ignore it.
func InContext(ctx context.Context) Option {
	return func(c *config) {
		if ctx == nil {
			c.fail(fmt.Errorf("%w: the context is nil", ErrBadOption))
		}
		c.ctx = ctx
	}
}

// WithPanicInJoin lets a panic of the thread's function end the thread alone, and not
// the program: Join returns it as a *PanicError. Coroutines and Do ignore it, whose
// resumers get panics anyway.
func WithPanicInJoin() Option {
	return func(c *config) { c.carries = true }
}

// Context returns the context of the thread that calls it: the one given by
// InContext, or one that ends with the cause ErrRuntimeClosed when the thread's
// runtime is closed. Where [Current] is nil it is context.Background.
func Context() context.Context {
	t := caller()
	switch {
	case t == nil:
		return context.Background()
	case t.extra != nil && t.extra.ctx != nil:
		return t.extra.ctx
	}
	return t.rt.ctx
}
