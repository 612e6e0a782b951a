package runtime

import (
	"context"
	"time"
)

// A Case is one of the things of which [Select] does one: to send or receive (see
// SendCase and RecvCase of [Chan]), [AfterCase], [DoneCase], [DefaultCase]. It may be used again, but
// by one Select at a time.
type Case interface {
	// guard returns the lock of the channel, nil if there is none.
	guard() *spin
	// try does the case if that is possible without waiting, with the lock held. Then
	// the locks are to be given back, the partner, if there is one, to be woken, and finish
	// to be called.
	try() (done bool, partner *waiter)
	// line puts w into the queue of the channel, with the lock held.
	line(w *waiter, code uint32)
	// leave undoes line, and gives the lock back.
	leave()
	// finish is what is left to do when the case has been done, by try or by a partner.
	finish()
}

// SendCase is the case that sends v.
func (c *Chan[T]) SendCase(v T) Case { return &sendCase[T]{c: c, v: v} }

// RecvCase is the case that receives, and sets what v and ok point to as Recv returns it.
// Either may be nil.
func (c *Chan[T]) RecvCase(v *T, ok *bool) Case { return &recvCase[T]{c: c, v: v, ok: ok} }

// DefaultCase is the case that is done if no other can be done at once.
func DefaultCase() Case { return defaultCase{} }

// AfterCase is the case that d has passed since Select was called; with a d of 0 or less it
// can be done at once.
func AfterCase(d time.Duration) Case { return afterCase{d: d} }

// DoneCase is the case that ctx has ended.
func DoneCase(ctx context.Context) Case { return doneCase{ctx: ctx} }

type sendCase[T any] struct {
	c      *Chan[T]
	v      T
	slot   *slot[T]
	closed bool
}

func (s *sendCase[T]) guard() *spin { return s.c.lockOf() }

func (s *sendCase[T]) try() (bool, *waiter) {
	if s.c == nil {
		return false, nil
	}
	if s.c.closed {
		s.closed = true
		return true, nil
	}
	return s.c.put(s.v)
}

func (s *sendCase[T]) line(w *waiter, code uint32) {
	s.slot = s.c.line(&s.c.senders, w, code, s.v)
}

func (s *sendCase[T]) leave() {
	s.c.senders.remove(&s.slot.entry)
	s.c.drop(s.slot)
	s.slot = nil
}

func (s *sendCase[T]) finish() {
	if s.slot != nil {
		_, ok := s.slot.result()
		s.slot, s.closed = nil, !ok
	}
	if s.closed {
		panicClosed()
	}
}

type recvCase[T any] struct {
	c    *Chan[T]
	v    *T
	ok   *bool
	slot *slot[T]
}

func (r *recvCase[T]) guard() *spin { return r.c.lockOf() }

func (r *recvCase[T]) try() (bool, *waiter) {
	if r.c == nil {
		return false, nil
	}
	v, ok, done, partner := r.c.take()
	if done {
		r.set(v, ok)
	}
	return done, partner
}

func (r *recvCase[T]) line(w *waiter, code uint32) {
	var zero T
	r.slot = r.c.line(&r.c.receivers, w, code, zero)
}

func (r *recvCase[T]) leave() {
	r.c.receivers.remove(&r.slot.entry)
	r.c.drop(r.slot)
	r.slot = nil
}

func (r *recvCase[T]) finish() {
	if r.slot != nil {
		r.set(r.slot.result())
		r.slot = nil
	}
}

func (r *recvCase[T]) set(v T, ok bool) {
	if r.v != nil {
		*r.v = v
	}
	if r.ok != nil {
		*r.ok = ok
	}
}

// An aside is what is no channel.
type aside struct{}

func (aside) guard() *spin         { return nil }
func (aside) try() (bool, *waiter) { return false, nil }
func (aside) line(*waiter, uint32) {}
func (aside) leave()               {}
func (aside) finish()              {}

type defaultCase struct{ aside }

type afterCase struct {
	aside
	d time.Duration
}

func (a afterCase) try() (bool, *waiter) { return a.d <= 0, nil }

type doneCase struct {
	aside
	ctx context.Context
}

func (d doneCase) try() (bool, *waiter) { return d.ctx.Err() != nil, nil }
