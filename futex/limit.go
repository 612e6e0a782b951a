package futex

import "context"

// limit is how long somebody is ready to wait: until a deadline, or as long as a context is not done.
type limit struct {
	deadline Deadline
	ctx      context.Context // nil: none that could end
	bell     bell            // how the end of ctx reaches who sleeps
}

var forever = limit{deadline: Never}

func until(d Deadline) limit { return limit{deadline: d} }

func during(ctx context.Context) limit {
	l := limit{deadline: Never}
	if ctx.Done() != nil {
		l.ctx = ctx
	}
	return l
}

// over returns why there is nothing left of the limit, without having slept: ErrTimeout, or the context's error.
func (l *limit) over() error {
	switch {
	case l.ctx != nil:
		return l.ctx.Err()
	case l.deadline.Passed():
		return ErrTimeout
	}
	return nil
}

// must panics on errors that a wait without a limit, on good memory, has only where futexes are forbidden altogether. To
// go on would be to poll, or to lose wake-ups.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
