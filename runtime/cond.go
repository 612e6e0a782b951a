package runtime

import (
	"context"
	"sync"
)

// A Cond is where threads and goroutines wait for, or announce, that something has
// changed, with the contract of sync.Cond: L is held when what is waited for is looked at
// and changed, and when Wait is called, and is not replaced while somebody waits. Set L
// before first use; a Cond must not be copied after that.
//
// Signal and Broadcast with nobody waiting take one lock of a few instructions.
type Cond struct {
	_ noCopy
	// L is a *Mutex, a *RWMutex or the RLocker of one, best. A thread that waits with
	// one of package sync, or of any other type, blocks its carrier when L does; with one of
	// any other type it blocks its carrier all the time that it waits.
	L sync.Locker

	guard spin // of queue
	queue queue
}

// NewCond returns a Cond with that L.
func NewCond(l sync.Locker) *Cond { return &Cond{L: l} }

// Wait unlocks c.L, waits for Signal or Broadcast, and locks c.L again. As another may
// come first, the condition is to be looked at again, in a loop.
func (c *Cond) Wait() { _ = c.wait(never) }

// WaitContext is Wait until ctx ends: then the error is its cause. c.L is locked again in
// any case. One that got an error has not taken a Signal from others.
func (c *Cond) WaitContext(ctx context.Context) error { return c.wait(ctx) }

func (c *Cond) wait(ctx context.Context) error {
	point()
	w := waiterBeside(c.L)
	e := &w.entry
	w.begin()
	c.guard.lock()
	c.queue.push(e)
	c.guard.unlock()
	c.unlock(w)
	var err error
	if w.waitFor(limit{ctx: ctx}, WaitCond) == codeCanceled {
		c.guard.lock()
		c.queue.remove(e)
		c.guard.unlock()
		err = context.Cause(ctx)
	}
	w.discharge()
	c.L.Lock()
	return err
}

// unlock unlocks c.L. If that panics, w, which is in the queue, does not wait.
func (c *Cond) unlock(w *waiter) {
	unlocked := false
	defer func() {
		if unlocked {
			return
		}
		c.guard.lock()
		removed := c.queue.remove(&w.entry)
		c.guard.unlock()
		if !removed {
			w.waitFor(limit{}, WaitCond) // somebody is about to wake it
		}
	}()
	c.L.Unlock()
	unlocked = true
}

// Signal wakes one who waits, if anybody does: the first that has come.
func (c *Cond) Signal() {
	point()
	c.guard.lock()
	e := c.queue.pop()
	c.guard.unlock()
	if e != nil {
		e.waiter.wake()
	}
}

// Broadcast wakes all who wait.
func (c *Cond) Broadcast() {
	point()
	c.guard.lock()
	all := c.queue.popAll()
	c.guard.unlock()
	wakeAll(all.first)
}

// waiterBeside returns a waiter whose entry may be in a queue while the Unlock of l
// runs. A thread has only one of its own, which an Unlock that we do not know may need.
func waiterBeside(l sync.Locker) *waiter {
	switch l.(type) {
	case *Mutex, *RWMutex, *rlocker, *sync.Mutex, *sync.RWMutex:
		return enlist()
	}
	return newWaiter()
}
