package exp

import (
	"context"

	"greenthread/bench/internal/measure"
)

// syncThreads is how many contend. It is even: in channel half of them send.
const syncThreads = 8

// synchronize asks what locks and their kin cost when several want them.
func synchronize() measure.Experiment {
	e := measure.Experiment{
		Name:    "sync",
		Title:   "eight threads that want the same, each operation",
		Help:    page("sync"),
		Metrics: []measure.Metric{measure.Nanoseconds("ns_per_op")},
	}
	for _, v := range []struct {
		name string
		on   func(context.Context) (crew, error)
		game func() syncGame
	}{
		{"mutex/green", greenCrew, greenMutexGame},
		{"mutex/sync", goCrew, goMutexGame},
		{"semaphore/green", greenCrew, greenSemaphoreGame},
		{"semaphore/chan", goCrew, goSemaphoreGame},
		{"channel/green", greenCrew, greenChannelGame},
		{"channel/chan", goCrew, goChannelGame},
		{"waitgroup/green", greenCrew, greenWaitGroupGame},
		{"waitgroup/sync", goCrew, goWaitGroupGame},
	} {
		e.Variants = append(e.Variants, measure.Variant{Name: v.name, Open: func(ctx context.Context) (measure.Sampler, error) {
			c, err := v.on(ctx)
			if err != nil {
				return nil, err
			}
			return measure.Loop(func(n int) error { return c.play(v.game(), n) }, c.end), nil
		}})
	}
	e.Ratios = []measure.Ratio{
		{Of: "mutex/sync", To: "mutex/green"},
		{Of: "semaphore/chan", To: "semaphore/green"},
		{Of: "channel/chan", To: "channel/green"},
		{Of: "waitgroup/sync", To: "waitgroup/green"},
	}
	return e
}

// A syncGame is what the threads do: each does its own part, times times; finish,
// unless it is nil, is called once all have.
type syncGame struct {
	part   func(thread, times int)
	finish func()
}

// A crew is threads of one kind: it runs a function on each of them, and waits for
// them.
type crew struct {
	each func(do func(thread int)) error
	end  func() error
}

// play has the crew do n operations together. In one game all threads do as many, but
// for what does not divide.
func (c crew) play(g syncGame, n int) error {
	err := c.each(func(thread int) {
		times := n / syncThreads
		if thread < n%syncThreads {
			times++
		}
		g.part(thread, times)
	})
	if g.finish != nil {
		g.finish()
	}
	return err
}
