package runtime

import "context"

// never is the context of a wait without a limit.
var never context.Context

// await suspends the caller, whose waiter w is and whose entry e is in a queue that
// is guarded by the locked l, until e was popped, and l has been given back: it
// returns true then. If ctx, which may be never, ends first, it returns false: e is in
// no queue any more, and l is locked again.
func (w *waiter) await(e *entry, l *spin, ctx context.Context, why Reason) bool {
	if ctx == nil || ctx.Done() == nil {
		w.wait(l, why)
		return true
	}
	q := e.queue
	w.begin()
	l.unlock()
	if w.waitFor(limit{ctx: ctx}, why) != codeCanceled {
		return true
	}
	l.lock()
	q.remove(e)
	return false
}

// here returns the runtime of the thread that calls it, elsewhere the default one.
func here() (*Runtime, error) {
	if t := caller(); t != nil {
		return t.rt, nil
	}
	return Default()
}
