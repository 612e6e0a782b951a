package futex

import "fmt"

// MaxWords is how many words WaitAny takes.
const MaxWords = 128

// Word is one of the words that WaitAny waits on.
type Word struct {
	Addr  *uint32
	Val   uint32 // what the word must be for the wait to go on
	Scope Scope
}

// WaitAny sleeps while every one of the words has its Val, until a Wake on any of them or until the deadline. It returns the index of a
// word that was woken or has another value; which one, if there are several, is left open. The error is ErrTimeout when
// the deadline came first; the index is -1 with any error. Like Wait, it may return for no reason.
//
// Where the kernel refuses futex_waitv (FeatureWaitV), it sleeps on the first word and looks at the others every now and
// then, 50 us apart at first, 10 ms at last. It then sees changes of the other words, but not wakes that leave them as
// they were, and Wake does not count it.
func WaitAny(words []Word, deadline Deadline) (index int, err error) {
	if len(words) == 0 || len(words) > MaxWords {
		return -1, fmt.Errorf("futex: wait on %d words: not in 1..%d", len(words), MaxWords)
	}
	for i := range words {
		if err := checkAddress("wait", words[i].Addr); err != nil {
			return -1, err
		}
		onHeap(words[i].Addr)
	}
	return kernelWaitAny(words, deadline.instant())
}
