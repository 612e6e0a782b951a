package runtime

import "iter"

// All returns the values that c yields, as an iterator: each turn resumes c
// with the zero value of In. It ends with the body, whose return value is left
// out. Leaving the loop early leaves c suspended; it can be resumed, ranged over
// again, or closed. The iterator panics with the error where Resume would return
// one other than ErrFinished and ErrClosed.
func (c *Coroutine[In, Out]) All() iter.Seq[Out] {
	return func(yield func(Out) bool) {
		var zero In
		for {
			out, err := c.Resume(zero)
			if err == ErrFinished || err == ErrClosed {
				return
			}
			if err != nil {
				panic(err)
			}
			if c.Done() || !yield(out) {
				return
			}
		}
	}
}
