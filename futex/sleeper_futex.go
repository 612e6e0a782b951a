//go:build linux && !futexportable

package futex

// sleeper puts the kernel thread to sleep on the Parker's own word. It needs no memory.
type sleeper struct{}

func (sleeper) make() {}

// sleep blocks while *word == val, and reports whether the deadline ended it. It may return for no reason.
func (sleeper) sleep(word *uint32, val uint32, deadline Deadline) (timedOut bool) {
	switch err := kernelWait(onHeap(word), val, matchAny, deadline.instant(), Private); err {
	case nil:
		return false
	case ErrTimeout:
		return true
	default:
		panic(err) // a filter that forbids futexes altogether: to go on would be to poll
	}
}

// wake wakes the one who sleeps on word, if it has got that far.
func (sleeper) wake(word *uint32) {
	if _, err := kernelWake(onHeap(word), 1, Private); err != nil {
		panic(err) // to go on would be to lose a wake-up
	}
}
