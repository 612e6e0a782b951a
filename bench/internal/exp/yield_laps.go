package exp

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"greenthread/bench/internal/measure"
	green "greenthread/runtime"
)

// laps is a sampler of threads that yield in turn. One operation is a lap: each of
// them is switched to once. The threads wait for the next sample on their stacks.
type laps struct {
	threads int
	start   func(body func()) error   // starts a thread
	yield   func(n int)               // does so n times
	gates   func() (first, rest gate) // for the first thread, and for all others

	order *order // the threads wait for it
	ended chan struct{}
}

// An order tells all threads how often to yield.
type order struct {
	ready  gate // the first thread waits there until the order has been written,
	gate   gate // and then lets the others run
	clock  measure.Clock
	yields int
	end    bool // instead of yielding
	next   *order

	began     atomic.Int64 // by the clock
	finishing atomic.Int64 // threads that have done all their yields
	finished  atomic.Int64 // of these, those that have noted the time
	firstDone time.Duration
	lastDone  time.Duration // both since began
	done      chan struct{}
}

// A gate holds those who wait until it is opened, once.
type gate interface {
	wait()
	open()
}

func yieldGreen(n int) (measure.Sampler, error) {
	r, err := green.New(green.Config{Carriers: 1})
	if err != nil {
		return nil, err
	}
	all := make([]*green.Thread, 0, n)
	l := &laps{
		threads: n,
		start: func(body func()) error {
			t, err := r.Go(body)
			all = append(all, t)
			return err
		},
		yield: func(n int) {
			for range n {
				green.Yield()
			}
		},
		gates: func() (first, rest gate) {
			return parkGate{func() []*green.Thread { return all[:1] }}, parkGate{func() []*green.Thread { return all[1:] }}
		},
	}
	return l.begin()
}

func yieldGosched(n int) (measure.Sampler, error) {
	l := &laps{
		threads: n,
		start:   func(body func()) error { go body(); return nil },
		yield: func(n int) {
			for range n {
				runtime.Gosched()
			}
		},
		gates: func() (first, rest gate) { return chanGate(make(chan struct{})), chanGate(make(chan struct{})) },
	}
	return l.begin()
}

// A parkGate is for green threads, which are known when it is opened.
type parkGate struct{ waiters func() []*green.Thread }

func (parkGate) wait() { green.Park() }

func (g parkGate) open() {
	for _, t := range g.waiters() {
		t.Unpark()
	}
}

type chanGate chan struct{}

func (g chanGate) wait() { <-g }
func (g chanGate) open() { close(g) }

// begin starts the threads, and has each run once.
func (l *laps) begin() (measure.Sampler, error) {
	l.ended = make(chan struct{}, l.threads)
	l.order = l.newOrder()
	first := l.order
	for i := range l.threads {
		if err := l.start(func() { l.run(first, i == 0) }); err != nil {
			return nil, fmt.Errorf("thread %d: %w", i+1, err)
		}
	}
	s := onOneP(l)
	_, err := s.Sample(context.Background(), measure.NewClock(), 2)
	return s, err
}

func (l *laps) newOrder() *order {
	o := &order{done: make(chan struct{})}
	o.ready, o.gate = l.gates()
	return o
}

// run is what each thread does. The first one opens the gates: as all are on one
// carrier, none of the others runs before it has looked at the clock, unless Go
// preempts it just there.
func (l *laps) run(o *order, first bool) {
	for ; ; o = o.next {
		if first {
			o.ready.wait()
			o.begin()
			o.gate.open()
			o.begin()
		} else {
			o.gate.wait()
		}
		if o.end {
			break
		}
		l.yield(o.yields)
		if o.finishing.Add(1) == 1 {
			o.firstDone = o.sinceBegin()
		}
		if o.finished.Add(1) == int64(l.threads) {
			o.lastDone = o.sinceBegin()
			close(o.done)
		}
	}
	l.ended <- struct{}{}
}

func (o *order) begin() {
	if !o.end {
		o.began.Store(int64(o.clock.Now()))
	}
}

func (o *order) sinceBegin() time.Duration {
	return o.clock.Since(time.Duration(o.began.Load()))
}

// Sample has all threads run n times.
func (l *laps) Sample(ctx context.Context, clock measure.Clock, n int) (measure.Reading, error) {
	o := l.order
	l.order = l.newOrder()
	o.yields, o.clock, o.next = n-1, clock, l.order
	o.ready.open()
	select {
	case <-o.done:
	case <-ctx.Done():
		return measure.Reading{}, ctx.Err()
	}
	return measure.Reading{Ops: n, Elapsed: o.lastDone, Further: map[string]float64{
		evenness: 100 * float64(o.firstDone) / float64(max(o.lastDone, 1)),
	}}, nil
}

// Close ends the threads.
func (l *laps) Close() error {
	l.order.end = true
	l.order.ready.open()
	for range l.threads {
		select {
		case <-l.ended:
		case <-time.After(time.Minute):
			return errors.New("a thread does not end")
		}
	}
	return nil
}
