package measure

import "context"

// Loop returns a sampler for an operation of this process: do repeats it n
// times, and the clock is read around that call. stop, which may be nil,
// releases what do needs.
func Loop(do func(n int) error, stop func() error) Sampler {
	return &loop{do: do, stop: stop}
}

type loop struct {
	do   func(n int) error
	stop func() error
}

func (l *loop) Sample(_ context.Context, clock Clock, n int) (Reading, error) {
	start := clock.Now()
	err := l.do(n)
	return Reading{Ops: n, Elapsed: clock.Since(start)}, err
}

func (l *loop) Close() error {
	if l.stop == nil {
		return nil
	}
	return l.stop()
}
