package runtime

import (
	"context"
	"fmt"
)

// A Barrier is where a number of parties wait for each other, again and again. What a
// party does before Wait happens before the return of all the others from that meeting.
// It is made by NewBarrier, and must not be copied.
//
// Wait takes a lock of a few instructions once.
type Barrier struct {
	_       noCopy
	guard   spin
	parties int
	queue   queue // of those who have come
}

// NewBarrier returns a barrier for that many parties. It panics if there is not at least one.
func NewBarrier(parties int) *Barrier {
	if parties < 1 {
		panic(fmt.Sprintf("greenthread: NewBarrier for %d parties, it must be at least 1", parties))
	}
	return &Barrier{parties: parties}
}

// Wait waits until all parties have called it. To one of them, the last, it returns true. If
// ctx ends first, the error is its cause, and it is as if the caller had not come: the others
// wait on. The last one does not wait, whatever ctx is.
func (b *Barrier) Wait(ctx context.Context) (last bool, err error) {
	point()
	if b.parties == 0 {
		panic("greenthread: Wait on a Barrier that NewBarrier has not made")
	}
	b.guard.lock()
	if b.queue.length == b.parties-1 {
		var all chain
		for !b.queue.empty() {
			b.queue.head.want = barrierMet
			if e := b.queue.popHead(); e != nil {
				all.add(e)
			}
		}
		b.guard.unlock()
		wakeAll(all.first)
		return true, nil
	}
	w := enlist()
	defer w.discharge()
	e := &w.entry
	e.want = 0
	b.queue.push(e)
	if w.await(e, &b.guard, ctx, WaitBarrier) {
		return false, nil
	}
	met := e.want == barrierMet // it was counted before it could leave
	b.guard.unlock()
	if met {
		return false, nil
	}
	return false, context.Cause(ctx)
}

// barrierMet, in entry.want: the meeting has taken place.
const barrierMet = 1
