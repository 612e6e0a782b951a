package futex

import "context"

// SharedEvent is an Event for several processes. Zeroed memory holds one that is not set, in four bytes.
type SharedEvent struct {
	_ noCopy
	flag
}

// Set sets the event and wakes everyone who waits for it, in whatever process.
func (e *SharedEvent) Set() error { return e.set(Shared) }

// Wait returns when the event is set, or has been set since Wait was called.
func (e *SharedEvent) Wait() error {
	l := forever
	return e.wait(&l, Shared)
}

// WaitUntil is Wait up to a deadline: then it returns ErrTimeout.
func (e *SharedEvent) WaitUntil(deadline Deadline) error {
	l := until(deadline)
	return e.wait(&l, Shared)
}

// WaitContext is Wait until ctx is done: then it returns ctx.Err().
func (e *SharedEvent) WaitContext(ctx context.Context) error {
	l := during(ctx)
	defer l.release()
	return e.wait(&l, Shared)
}
