package exp

import (
	"context"
	"errors"
	"time"

	"greenthread/bench/internal/measure"
	green "greenthread/runtime"
)

// channels asks what it costs to hand a value over, and one back.
func channels() measure.Experiment {
	return measure.Experiment{
		Name:    "chan",
		Title:   "a value there and one back, through two unbuffered channels",
		Help:    page("chan"),
		Short:   true,
		Metrics: []measure.Metric{measure.Nanoseconds("ns_per_roundtrip")},
		Variants: []measure.Variant{
			{Name: "green", Open: chanGreen},
			{Name: "goroutine", Open: chanGoroutine},
		},
		Ratios: []measure.Ratio{{Of: "goroutine", To: "green"}},
	}
}

// chanGoroutine is the channel of switch, with values instead of tokens.
func chanGoroutine(context.Context) (measure.Sampler, error) {
	there, back := make(chan int), make(chan int)
	go func() {
		for v := range there {
			back <- v
		}
		close(back)
	}()
	return onOneP(measure.Loop(func(n int) error {
		for i := range n {
			there <- i
			if v := <-back; v != i {
				return errors.New("another value came back")
			}
		}
		return nil
	}, func() error { close(there); <-back; return nil })), nil
}

// chanGreen has two green threads of one carrier do it.
func chanGreen(context.Context) (measure.Sampler, error) {
	r, err := green.New(green.Config{Carriers: 1})
	if err != nil {
		return nil, err
	}
	return onOneP(&chanThreads{r}), nil
}

type chanThreads struct{ r *green.Runtime }

func (c *chanThreads) Sample(ctx context.Context, clock measure.Clock, n int) (measure.Reading, error) {
	there, back := green.NewChan[int](0), green.NewChan[int](0)
	var elapsed time.Duration
	var wrong error
	echo, err := c.r.Go(func() {
		for v, ok := there.Recv(); ok; v, ok = there.Recv() {
			back.Send(v)
		}
	})
	if err != nil {
		return measure.Reading{}, err
	}
	caller, err := c.r.Go(func() {
		defer there.Close()
		start := clock.Now()
		for i := range n {
			there.Send(i)
			if v, _ := back.Recv(); v != i {
				wrong = errors.New("another value came back")
				return
			}
		}
		elapsed = clock.Since(start)
	})
	if err != nil {
		there.Close()
		return measure.Reading{}, errors.Join(err, echo.Join(ctx))
	}
	err = errors.Join(caller.Join(ctx), echo.Join(ctx), wrong)
	return measure.Reading{Ops: n, Elapsed: elapsed}, err
}

// Close ends the runtime of the two.
func (c *chanThreads) Close() error {
	return trimmed(func() error { return c.r.Close(context.Background()) })()
}
