package runtime

import (
	"context"
	"slices"
	"time"
)

// The end of a context wakes its waiters by goroutines of package context, some time later.
// A simulation looks by itself, before it chooses who runs next: so it always sees the end at
// the same step.

// A contextWait is what waiter.onDone asks for.
type contextWait struct {
	ctx  context.Context
	w    *waiter
	seq  uint64
	code uint32
}

// onDone ends wait number seq of w with that code when ctx ends. The function that it
// returns undoes that.
func (w *waiter) onDone(ctx context.Context, seq uint64, code uint32) (stop func() bool) {
	if w.thread == nil || w.thread.rt.sim == nil {
		return context.AfterFunc(ctx, func() { w.expire(seq, code) })
	}
	s := w.thread.rt.sim
	c := &contextWait{ctx, w, seq, code}
	s.contexts = append(s.contexts, c)
	return func() bool {
		i := slices.Index(s.contexts, c)
		s.contexts = slices.Delete(s.contexts, i, i+1)
		return true
	}
}

// lookAtContexts ends the waits whose contexts have ended.
func (s *simulation) lookAtContexts() {
	for _, c := range s.contexts {
		if c.ctx.Err() != nil {
			c.w.expire(c.seq, c.code)
		}
	}
}

// awaitContext waits, in real time, until the next deadline of a context has come. It reports
// false if there is none.
func (s *simulation) awaitContext() bool {
	var first time.Time
	var done <-chan struct{}
	for _, c := range s.contexts {
		if deadline, limited := c.ctx.Deadline(); limited && (done == nil || deadline.Before(first)) {
			first, done = deadline, c.ctx.Done()
		}
	}
	if done != nil {
		<-done
	}
	return done != nil
}
