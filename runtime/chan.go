package runtime

import (
	"context"
	"fmt"
	"iter"
)

// A Chan passes values between threads and goroutines, with the contract of a Go
// channel: values come out in the order in which they went in, those who wait are served
// first come first served, a send happens before the end of its receive, a receive from
// a channel of capacity c happens before the end of the c-th send after it, and a
// close before a receive that reports it. Sending to a closed channel, and closing it
// again, panics. A nil *Chan is like a nil channel: whoever sends or receives there waits
// for ever.
//
// NewChan makes one; the zero value is unbuffered. It must not be copied after first use.
//
// An operation costs one lock of a few instructions (one compare-and-swap), waits
// or not, and a thread that waits is switched out. Nothing is allocated, but a slot for
// each of those that wait at the same time, which the channel keeps.
type Chan[T any] struct {
	_         noCopy
	guard     spin // of all below
	closed    bool
	head      int // of the oldest value in buffer
	count     int // of values in buffer
	buffer    []T
	receivers queue // of slots; not empty only if buffer is empty
	senders   queue // of slots; not empty only if buffer is full
	slots     slots[T]
}

// NewChan returns a channel for that many values that wait to be received, 0 for an
// unbuffered one. It panics if the capacity is negative, and as make does if it is too large.
func NewChan[T any](capacity int) *Chan[T] {
	if capacity < 0 {
		panic(fmt.Sprintf("greenthread: NewChan with capacity %d", capacity))
	}
	return &Chan[T]{buffer: make([]T, capacity)}
}

// Send sends v, and waits until it was received, or until there is room for it.
func (c *Chan[T]) Send(v T) {
	point()
	if c == nil {
		_ = waitForever(never, WaitSend)
	}
	if c.sendNow(v) {
		return
	}
	w := enlist()
	n := c.line(&c.senders, w, codeGranted, v)
	w.wait(&c.guard, WaitSend)
	_, ok := n.result()
	w.discharge()
	if !ok {
		panicClosed()
	}
}

// SendContext is Send until ctx ends: then the error is its cause, and v was not sent.
// What can be sent without waiting is sent, whatever ctx is.
func (c *Chan[T]) SendContext(ctx context.Context, v T) error {
	point()
	if c == nil {
		return waitForever(ctx, WaitSend)
	}
	if c.sendNow(v) {
		return nil
	}
	w := enlist()
	defer w.discharge()
	n := c.line(&c.senders, w, codeGranted, v)
	if !w.await(&n.entry, &c.guard, ctx, WaitSend) {
		c.drop(n)
		return context.Cause(ctx)
	}
	if _, ok := n.result(); !ok {
		panicClosed()
	}
	return nil
}

// TrySend sends v if that is possible without waiting, and reports whether it has done so.
func (c *Chan[T]) TrySend(v T) bool {
	point()
	return c.trySend(v)
}

func (c *Chan[T]) trySend(v T) bool {
	if c == nil {
		return false
	}
	done := c.sendNow(v)
	if !done {
		c.guard.unlock()
	}
	return done
}

// Recv receives a value, and waits until there is one. When the channel is closed, and all
// values were received, it returns the zero value, and false, at once.
func (c *Chan[T]) Recv() (v T, ok bool) {
	point()
	if c == nil {
		_ = waitForever(never, WaitReceive)
	}
	v, ok, done := c.receiveNow()
	if done {
		return v, ok
	}
	w := enlist()
	n := c.line(&c.receivers, w, codeGranted, v)
	w.wait(&c.guard, WaitReceive)
	v, ok = n.result()
	w.discharge()
	return v, ok
}

// RecvContext is Recv until ctx ends: then the error is its cause, and nothing was received.
// What is there is received, whatever ctx is.
func (c *Chan[T]) RecvContext(ctx context.Context) (v T, ok bool, err error) {
	point()
	if c == nil {
		return v, false, waitForever(ctx, WaitReceive)
	}
	v, ok, done := c.receiveNow()
	if done {
		return v, ok, nil
	}
	w := enlist()
	defer w.discharge()
	n := c.line(&c.receivers, w, codeGranted, v)
	if !w.await(&n.entry, &c.guard, ctx, WaitReceive) {
		c.drop(n)
		return v, false, context.Cause(ctx)
	}
	v, ok = n.result()
	return v, ok, nil
}

// TryRecv receives a value if there is one. ok is as of Recv; done is false if Recv would
// have to wait.
func (c *Chan[T]) TryRecv() (v T, ok, done bool) {
	point()
	if c == nil {
		return v, false, false
	}
	if v, ok, done = c.receiveNow(); !done {
		c.guard.unlock()
	}
	return v, ok, done
}

// Close closes the channel: whoever waits to receive gets the zero value and false; one
// who waits to send panics. It panics if the channel is closed already, or nil.
func (c *Chan[T]) Close() {
	point()
	if c == nil {
		panic("greenthread: close of nil Chan")
	}
	c.guard.lock()
	if c.closed {
		c.guard.unlock()
		panic("greenthread: close of closed Chan")
	}
	c.closed = true
	var all chain
	for _, q := range [...]*queue{&c.receivers, &c.senders} {
		for e := q.pop(); e != nil; e = q.pop() {
			c.slots.keep(slotOf[T](e)) // its ok is false
			all.add(e)
		}
	}
	c.guard.unlock()
	wakeAll(all.first)
}

// Len returns how many values were in the buffer a moment ago.
func (c *Chan[T]) Len() int {
	if c == nil {
		return 0
	}
	c.guard.lock()
	defer c.guard.unlock()
	return c.count
}

// Cap returns the capacity.
func (c *Chan[T]) Cap() int {
	if c == nil {
		return 0
	}
	return len(c.buffer)
}

// All is the loop that receives until the channel is closed, as range over a Go
// channel:
//
//	for v := range c.All() {
func (c *Chan[T]) All() iter.Seq[T] {
	return func(yield func(T) bool) {
		for v, ok := c.Recv(); ok && yield(v); v, ok = c.Recv() {
		}
	}
}

// full reports whether a send would have to wait.
func (c *Chan[T]) full() bool {
	if c == nil {
		return true
	}
	c.guard.lock()
	defer c.guard.unlock()
	return !c.closed && c.count == len(c.buffer) && c.receivers.empty()
}

// lockOf returns the lock of c, nil if c is nil.
func (c *Chan[T]) lockOf() *spin {
	if c == nil {
		return nil
	}
	return &c.guard
}

// sendNow sends v without waiting. If that is not possible, it returns false, and the
// guard is locked.
func (c *Chan[T]) sendNow(v T) bool {
	c.guard.lock()
	if c.closed {
		c.guard.unlock()
		panicClosed()
	}
	done, partner := c.put(v)
	if done {
		c.guard.unlock()
		if partner != nil {
			partner.wake()
		}
	}
	return done
}

// receiveNow receives without waiting. If that is not possible, done is false, and the
// guard is locked.
func (c *Chan[T]) receiveNow() (v T, ok, done bool) {
	c.guard.lock()
	v, ok, done, partner := c.take()
	if done {
		c.guard.unlock()
		if partner != nil {
			partner.wake()
		}
	}
	return v, ok, done
}

// put sends v, to the open c, without waiting, if that is possible: the caller, who holds
// the guard, must then give that back and wake the partner, if there is one.
func (c *Chan[T]) put(v T) (done bool, partner *waiter) {
	if e := c.receivers.pop(); e != nil {
		n := slotOf[T](e)
		n.value, n.ok = v, true
		c.slots.keep(n)
		return true, e.waiter
	}
	if c.count == len(c.buffer) {
		return false, nil
	}
	c.enqueue(v)
	return true, nil
}

// take receives without waiting, as put sends.
func (c *Chan[T]) take() (v T, ok, done bool, partner *waiter) {
	var zero T
	if c.count > 0 {
		v = c.buffer[c.head]
		c.buffer[c.head] = zero
		c.head++
		if c.head == len(c.buffer) {
			c.head = 0
		}
		c.count--
		if e := c.senders.pop(); e != nil {
			c.enqueue(c.taken(e))
			return v, true, true, e.waiter
		}
		return v, true, true, nil
	}
	if e := c.senders.pop(); e != nil {
		return c.taken(e), true, true, e.waiter
	}
	return zero, false, c.closed, nil
}

func (c *Chan[T]) enqueue(v T) {
	i := c.head + c.count
	if i >= len(c.buffer) {
		i -= len(c.buffer)
	}
	c.buffer[i] = v
	c.count++
}

// taken returns the value of a sender's slot that was popped.
func (c *Chan[T]) taken(e *entry) T {
	var zero T
	n := slotOf[T](e)
	v := n.value
	n.value, n.ok = zero, true
	c.slots.keep(n)
	return v
}

// line puts w into q, with a value to send. The caller holds the guard.
func (c *Chan[T]) line(q *queue, w *waiter, code uint32, v T) *slot[T] {
	n := c.slots.take(w, code)
	n.value = v
	q.push(&n.entry)
	return n
}

// drop gives back n, whose waiter has given up, and the guard.
func (c *Chan[T]) drop(n *slot[T]) {
	var zero T
	n.value, n.entry.waiter, n.left = zero, nil, 1
	c.slots.keep(n)
	c.guard.unlock()
}

// waitForever waits until ctx ends, which may be never.
func waitForever(ctx context.Context, why Reason) error {
	w := enlist()
	w.begin()
	w.waitFor(limit{ctx: ctx}, why)
	w.discharge()
	return context.Cause(ctx)
}

func panicClosed() { panic("greenthread: send on closed Chan") }
