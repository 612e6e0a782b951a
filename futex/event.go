package futex

import (
	"context"
	"sync/atomic"
)

// Event is a flag that one can wait for, for the threads of one process, in four bytes of any memory. The zero Event
// is not set. It must not be copied after first use.
type Event struct {
	_ noCopy
	flag
}

// flag is the state of an Event, in either scope: a bit that says whether it is set, one that says that somebody may
// sleep, and above them a number that grows with each Set. So a waiter notices a Set also when a Reset has followed.
type flag struct{ word uint32 }

const (
	eventSet uint32 = 1 << iota
	eventSleepers
	eventTurn
)

// Set sets the event and wakes everyone who waits for it. It makes a system call only if somebody waits.
func (e *Event) Set() { must(e.set(Private)) }

// Wait returns when the event is set, or has been set since Wait was called.
func (e *Event) Wait() {
	l := forever
	must(e.wait(&l, Private))
}

// WaitUntil is Wait up to a deadline: then it returns ErrTimeout.
func (e *Event) WaitUntil(deadline Deadline) error {
	l := until(deadline)
	return e.wait(&l, Private)
}

// WaitContext is Wait until ctx is done: then it returns ctx.Err().
func (e *Event) WaitContext(ctx context.Context) error {
	l := during(ctx)
	defer l.release()
	return e.wait(&l, Private)
}

// Reset takes the event back. It reports whether it was set.
func (f *flag) Reset() bool {
	return atomic.AndUint32(&f.word, ^eventSet)&eventSet != 0
}

// IsSet reports whether the event is set.
func (f *flag) IsSet() bool { return atomic.LoadUint32(&f.word)&eventSet != 0 }

func (f *flag) set(scope Scope) error {
	for {
		old := atomic.LoadUint32(&f.word)
		if old&eventSet != 0 {
			return nil
		}
		now := old&^eventSleepers + eventTurn | eventSet
		if !atomic.CompareAndSwapUint32(&f.word, old, now) {
			continue
		}
		if old&eventSleepers == 0 {
			return nil
		}
		_, err := rouse(&f.word, WakeAll, scope)
		return err
	}
}

func (f *flag) wait(l *limit, scope Scope) error {
	first := atomic.LoadUint32(&f.word)
	for old := first; old&eventSet == 0 && old/eventTurn == first/eventTurn; old = atomic.LoadUint32(&f.word) {
		now := old | eventSleepers
		if now != old && !atomic.CompareAndSwapUint32(&f.word, old, now) {
			continue
		}
		if err := l.sleep(&f.word, now, scope); err != nil {
			return err
		}
	}
	return nil
}
