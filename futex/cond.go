package futex

import (
	"context"
	"sync/atomic"
)

// Cond is a condition variable for the threads of one process, in eight bytes of any memory. The zero Cond is ready. It
// must not be copied after first use.
//
// It goes with a Mutex, always the same, which its methods are given: so that it holds no pointer. Wait gives the lock up, sleeps
// and takes the lock again; it may return for no reason, so it stands in a loop around the condition.
//
// A broadcast wakes no herd: whoever could not go on for want of the lock is moved, asleep, to the lock's own queue, and
// woken when its turn comes.
type Cond struct {
	_ noCopy
	condition
}

// condition is the state of a Cond, in either scope.
type condition struct {
	turn    uint32 // changes with each signal, and is what waiters sleep on
	waiters uint32 // at least as many as sleep
}

// Wait gives up m, which the caller holds, sleeps until a Signal or Broadcast, and takes m again.
func (c *Cond) Wait(m *Mutex) {
	l := forever
	must(c.wait(m, &l))
}

// WaitUntil is Wait up to a deadline: then it returns ErrTimeout. It holds m in any case, and takes its time to get it.
// After ErrTimeout the condition may be true all the same.
func (c *Cond) WaitUntil(m *Mutex, deadline Deadline) error {
	l := until(deadline)
	return c.wait(m, &l)
}

// WaitContext is Wait until ctx is done: then it returns ctx.Err(), and holds m.
func (c *Cond) WaitContext(m *Mutex, ctx context.Context) error {
	l := during(ctx)
	defer l.release()
	return c.wait(m, &l)
}

func (c *Cond) wait(m *Mutex, l *limit) error {
	turn := c.enter()
	m.Unlock()
	err := c.sleep(turn, l, Private)
	back := forever
	must(m.queue(&back, true))
	return err
}

// Signal wakes one waiter, if there is any. It may be called with or without the lock held, and makes a system call only if
// somebody waits.
func (c *Cond) Signal() { must(c.signal(Private)) }

// Broadcast wakes all waiters, one after the other, as m gets free. It may be called with or without the lock held, and
// makes a system call only if somebody waits.
func (c *Cond) Broadcast(m *Mutex) {
	wake := 1
	if atomic.LoadUint32(&m.word)&held != 0 {
		wake = 0 // its Unlock will do that
	}
	moved, err := c.broadcast(&m.word, wake, Private)
	must(err)
	if moved {
		m.joined()
	}
}

// enter announces a waiter, before it gives up the lock: who signals with the lock held then knows of it.
func (c *condition) enter() (turn uint32) {
	atomic.AddUint32(&c.waiters, 1)
	return atomic.LoadUint32(&c.turn)
}

// sleep sleeps until the turn has changed. It may then have been woken through the lock's word.
func (c *condition) sleep(turn uint32, l *limit, scope Scope) (err error) {
	for err == nil && atomic.LoadUint32(&c.turn) == turn {
		err = l.sleep(&c.turn, turn, scope)
	}
	c.exit()
	return err
}

func (c *condition) exit() { atomic.AddUint32(&c.waiters, ^uint32(0)) }

func (c *condition) signal(scope Scope) error {
	if atomic.LoadUint32(&c.waiters) == 0 {
		return nil
	}
	atomic.AddUint32(&c.turn, 1)
	_, err := rouse(&c.turn, 1, scope)
	return err
}

// broadcast wakes so many, and moves the others to the lock's word. It reports whether there may be any.
func (c *condition) broadcast(lock *uint32, wake int, scope Scope) (moved bool, err error) {
	if atomic.LoadUint32(&c.waiters) == 0 {
		return false, nil
	}
	for {
		turn := atomic.AddUint32(&c.turn, 1)
		switch n, err := move(&c.turn, lock, turn, wake, scope); err {
		case nil:
			return n > wake, nil
		case ErrChanged: // by another signal: the kernel moves nobody then, lest one who has just come is moved too
		default:
			return false, err
		}
	}
}
