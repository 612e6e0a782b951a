package runtime

import (
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

// An Option changes how a coroutine is made.
type Option func(*config)

type config struct {
	size int
	pool *stackpool.Pool
	name string
	err  error // of the first bad option
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
// pages; from MinStackSize to MaxStackSize, DefaultStackSize if it is not set.
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
// stacks: to close p, call Trim(0) first.
func WithPool(p *stackpool.Pool) Option {
	return func(c *config) {
		if p == nil {
			c.fail(fmt.Errorf("%w: the pool is nil", ErrBadOption))
		}
		c.pool = p
	}
}

// WithName names the coroutine in errors and in fatal messages.
func WithName(name string) Option {
	return func(c *config) { c.name = name }
}
