package futex

import (
	"context"
	"sync/atomic"
)

// SharedCond is a Cond for several processes, with a SharedMutex. Zeroed memory holds one that is ready, in eight bytes.
type SharedCond struct {
	_ noCopy
	condition
}

// Wait is like that of Cond. It may return ErrOwnerDied, with m held: another process died while it held the lock.
func (c *SharedCond) Wait(m *SharedMutex) error {
	l := forever
	return c.wait(m, &l)
}

// WaitUntil is Wait up to a deadline: then it returns an error in which errors.Is finds ErrTimeout. If it finds ErrOwnerDied
// as well, both is the case.
func (c *SharedCond) WaitUntil(m *SharedMutex, deadline Deadline) error {
	l := until(deadline)
	return c.wait(m, &l)
}

// WaitContext is Wait until ctx is done: then it returns ctx.Err(), as WaitUntil does ErrTimeout.
func (c *SharedCond) WaitContext(m *SharedMutex, ctx context.Context) error {
	l := during(ctx)
	defer l.release()
	return c.wait(m, &l)
}

func (c *SharedCond) wait(m *SharedMutex, l *limit) error {
	turn := c.enter()
	if err := m.Unlock(); err != nil {
		c.exit()
		return err
	}
	slept := c.sleep(turn, l, Shared)
	back := forever
	return both(slept, m.lock(&back, true))
}

// Signal wakes one waiter, if there is any, of whatever process.
func (c *SharedCond) Signal() error { return c.signal(Shared) }

// Broadcast wakes all waiters, one after the other, as m gets free.
func (c *SharedCond) Broadcast(m *SharedMutex) error {
	wake := 1
	if atomic.LoadUint32(&m.word)&TIDMask != 0 {
		wake = 0
	}
	moved, err := c.broadcast(&m.word, wake, Shared)
	if err != nil || !moved {
		return err
	}
	return m.joined()
}
