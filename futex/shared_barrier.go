package futex

import "context"

// SharedBarrier is a Barrier for several processes. Zeroed memory holds one that is ready, in four bytes. One who dies while it waits
// counts as come; one who dies before is waited for: use a deadline.
type SharedBarrier struct {
	_ noCopy
	meeting
}

// Wait waits until so many parties have called it. To one of them, the last, it returns true.
func (b *SharedBarrier) Wait(parties int) (last bool, err error) {
	l := forever
	return b.meet(parties, &l, Shared)
}

// WaitUntil is Wait up to a deadline: then it returns ErrTimeout, and it is as if the caller had not come.
func (b *SharedBarrier) WaitUntil(parties int, deadline Deadline) (last bool, err error) {
	l := until(deadline)
	return b.meet(parties, &l, Shared)
}

// WaitContext is Wait until ctx is done: then it returns ctx.Err(), and it is as if the caller had not come.
func (b *SharedBarrier) WaitContext(parties int, ctx context.Context) (last bool, err error) {
	l := during(ctx)
	defer l.release()
	return b.meet(parties, &l, Shared)
}
