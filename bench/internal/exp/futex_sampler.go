package exp

import (
	"errors"

	"greenthread/bench/internal/child"
	"greenthread/bench/internal/measure"
	"greenthread/futex"
)

// futexTask returns the task of one kind. It is for a process of its own: the fallback can only be had by a filter that
// nobody gets rid of again, and the others are to have no advantage.
func futexTask(kind string) child.Task {
	return func(n int) (r measure.Reading, err error) {
		if kind == "fallback" {
			if err := refusePrivateFutexes(); err != nil {
				return r, err
			}
		}
		t, err := newFutexTest(kind)
		if err != nil {
			return r, err
		}
		count := measure.CountUsage()
		elapsed, err := t.rounds(n)
		usage := count()
		if err != nil {
			return r, err
		}
		broadcast, err := t.broadcast(max(1, n/20))
		return measure.Reading{
			Ops: n, Elapsed: elapsed, Usage: usage, Further: map[string]float64{"broadcast_s": broadcast},
		}, err
	}
}

// openFutex opens the test of one kind, on some CPUs if any are given.
func openFutex(kind string, cpus ...int) (measure.Sampler, error) {
	if _, err := new(futex.SharedMutex).TryLock(); errors.Is(err, errors.ErrUnsupported) {
		return nil, measure.Unavailablef("it needs the kernel's futexes (%v)", err)
	}
	return child.Open("futex/"+kind, cpus...)
}
