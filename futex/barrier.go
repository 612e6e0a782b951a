package futex

import (
	"context"
	"sync/atomic"
)

// MaxParties is how many can meet at a Barrier.
const MaxParties = 1<<16 - 1

// Barrier is where a number of threads of one process wait for each other, again and again, in four bytes of any memory. The zero
// Barrier is ready. Everyone must name the same number of parties. It must not be copied after first use.
type Barrier struct {
	_ noCopy
	meeting
}

// meeting is the state of a Barrier, in either scope: in the low half how many have come, in the high half how often all
// have. One word holds both, so that of the last arrival and a timeout exactly one wins.
type meeting struct{ word uint32 }

const (
	arrivals  = 1<<16 - 1
	nextRound = 1 << 16
)

// Wait waits until so many parties have called it. To one of them, the last, it returns true.
func (b *Barrier) Wait(parties int) (last bool) {
	l := forever
	last, err := b.meet(parties, &l, Private)
	must(err)
	return last
}

// WaitUntil is Wait up to a deadline: then it returns ErrTimeout, and it is as if the caller had not come.
func (b *Barrier) WaitUntil(parties int, deadline Deadline) (last bool, err error) {
	l := until(deadline)
	return b.meet(parties, &l, Private)
}

// WaitContext is Wait until ctx is done: then it returns ctx.Err(), and it is as if the caller had not come.
func (b *Barrier) WaitContext(parties int, ctx context.Context) (last bool, err error) {
	l := during(ctx)
	defer l.release()
	return b.meet(parties, &l, Private)
}

func (b *meeting) meet(parties int, l *limit, scope Scope) (last bool, err error) {
	if parties < 1 || parties > MaxParties {
		panic("futex: the number of a Barrier's parties is not in 1..65535")
	}
	round, last := b.arrive(parties)
	if last {
		if parties > 1 {
			_, err = rouse(&b.word, WakeAll, scope)
		}
		return true, err
	}
	for {
		word := atomic.LoadUint32(&b.word)
		if word/nextRound != round {
			return false, nil
		}
		if err := l.sleep(&b.word, word, scope); err != nil {
			return false, b.leave(round, err)
		}
	}
}

// arrive counts one in. The last one opens the next round.
func (b *meeting) arrive(parties int) (round uint32, last bool) {
	for {
		old := atomic.LoadUint32(&b.word)
		now, last := old+1, false
		if int(now&arrivals) >= parties {
			now, last = (old/nextRound+1)*nextRound, true
		}
		if atomic.CompareAndSwapUint32(&b.word, old, now) {
			return old / nextRound, last
		}
	}
}

// leave counts one out and returns why; or nil, if all have come in the last moment.
func (b *meeting) leave(round uint32, why error) error {
	for {
		old := atomic.LoadUint32(&b.word)
		if old/nextRound != round {
			return nil
		}
		if atomic.CompareAndSwapUint32(&b.word, old, old-1) {
			return why
		}
	}
}
