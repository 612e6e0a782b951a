package runtime

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// Histories of what clients did at the same time are checked with porcupine: is there an
// order of the operations, each at some instant between its call and its return, in which a
// plain lock, or a plain queue, does the same?

// A move is what a client does; an outcome is how it went.
type (
	move struct {
		kind  moveKind
		value int
	}
	outcome struct {
		done   bool // it was done; false: it gave up
		value  int
		closed bool // a receive of false, a send that panicked
	}
	moveKind uint8
)

const (
	acquiring moveKind = iota // that many permits, with a limit, or without
	tryAcquiring
	releasing
	sending // with a limit, or without
	trySending
	receiving
	tryReceiving
	closing
)

// A history records what happens between clients.
type history struct {
	began time.Time
	sync.Mutex
	operations []porcupine.Operation
}

func (h *history) record(client int, m move, do func() outcome) outcome {
	call := time.Since(h.began)
	out := do()
	end := time.Since(h.began)
	h.Lock()
	defer h.Unlock()
	h.operations = append(h.operations, porcupine.Operation{
		ClientId: client, Input: m, Call: int64(call), Output: out, Return: int64(end),
	})
	return out
}

func (h *history) check(t *testing.T, model porcupine.Model) {
	t.Helper()
	switch porcupine.CheckOperationsTimeout(model, h.operations, 20*time.Second) {
	case porcupine.Illegal:
		t.Error("no order of these operations explains their outcomes:")
		for _, op := range h.operations {
			t.Logf("%+v", op)
		}
	case porcupine.Unknown:
		t.Error("the history could not be judged in 20 s")
	}
}

// permits is the model of a lock for that many.
func permits(size int) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return size },
		Step: func(state, input, output any) (bool, any) {
			free, m, out := state.(int), input.(move), output.(outcome)
			switch {
			case m.kind == releasing:
				return free+m.value <= size, free + m.value
			case out.done:
				return free >= m.value, free - m.value
			}
			// Whoever gives up may have stood behind another in the queue, but with
			// permits for one at a time a queue means that none was free.
			return m.kind != tryAcquiring || size > 1 || free < m.value, free
		},
	}
}

// stream is the state of the model of a channel. Without a buffer, a send and its receive
// happen one right after the other, so one value may be in between.
type stream struct {
	values []int
	closed bool
}

func channel(capacity int) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return stream{} },
		Step: func(state, input, output any) (bool, any) {
			s, m, out := state.(stream), input.(move), output.(outcome)
			switch m.kind {
			case closing:
				return !s.closed, stream{s.values, true}
			case sending, trySending:
				if out.closed {
					return s.closed, s
				}
				if !out.done {
					return m.kind == sending || !s.closed && (capacity == 0 || len(s.values) == capacity), s
				}
				room := !s.closed && len(s.values) < max(capacity, 1)
				return room, stream{append(slices.Clone(s.values), m.value), s.closed}
			default:
				if out.closed {
					return s.closed && len(s.values) == 0, s
				}
				if !out.done {
					return m.kind == receiving || !s.closed && len(s.values) == 0, s
				}
				if len(s.values) == 0 || s.values[0] != out.value {
					return false, s
				}
				return true, stream{s.values[1:], s.closed}
			}
		},
		Equal: func(a, b any) bool {
			x, y := a.(stream), b.(stream)
			return x.closed == y.closed && slices.Equal(x.values, y.values)
		},
	}
}

const (
	historyClients = 4
	historyMoves   = 24
)

// histories runs test some times in each world.
func histories(t *testing.T, test func(t *testing.T, w *world)) {
	everywhere(t, func(t *testing.T, w *world) {
		for range rounds(4) {
			test(t, w)
		}
	})
}

// hold lets others run, for a while, while the caller has something.
func hold() {
	for range rand.IntN(4) {
		Yield()
	}
}

// atOnce is together for clients that begin at the same time, or nearly.
func (w *world) atOnce(n int, client func(i int)) {
	w.t.Helper()
	w.startedAtOnce(n, client)()
}

func (w *world) startedAtOnce(n int, client func(i int)) (wait func()) {
	var here atomic.Int32
	return w.started(n, func(i int) {
		for here.Add(1); int(here.Load()) < n; {
			Yield()
		}
		client(i)
	})
}

func TestHistoriesOfMutexAreThoseOfALock(t *testing.T) {
	histories(t, func(t *testing.T, w *world) {
		var m Mutex
		h := history{began: time.Now()}
		w.atOnce(historyClients, func(i int) {
			for round := range historyMoves {
				kind, lock := acquiring, func() bool { m.Lock(); return true }
				ctx, cancel := soon(i + round)
				switch rand.IntN(3) {
				case 0:
					kind, lock = tryAcquiring, m.TryLock
				case 1:
					lock = func() bool { return m.LockContext(ctx) == nil }
				}
				if h.record(i, move{kind, 1}, func() outcome { return outcome{done: lock()} }).done {
					hold()
					h.record(i, move{releasing, 1}, func() outcome { m.Unlock(); return outcome{done: true} })
				}
				cancel()
			}
		})
		h.check(t, permits(1))
	})
}

func TestHistoriesOfSemaphoreAreThoseOfACounter(t *testing.T) {
	histories(t, func(t *testing.T, w *world) {
		const size = 3
		s := NewSemaphore(size)
		h := history{began: time.Now()}
		w.atOnce(historyClients, func(i int) {
			for round := range historyMoves {
				n := rand.IntN(size) + 1
				kind := acquiring
				ctx, cancel := soon(i + round)
				take := func() bool { return s.Acquire(ctx, n) == nil }
				switch rand.IntN(3) {
				case 0:
					kind, take = tryAcquiring, func() bool { return s.TryAcquire(n) }
				case 1:
					take = func() bool { return s.Acquire(context.Background(), n) == nil }
				}
				if h.record(i, move{kind, n}, func() outcome { return outcome{done: take()} }).done {
					hold()
					h.record(i, move{releasing, n}, func() outcome { s.Release(n); return outcome{done: true} })
				}
				cancel()
			}
		})
		h.check(t, permits(size))
	})
}

func TestHistoriesOfChanAreThoseOfAQueue(t *testing.T) {
	histories(t, func(t *testing.T, w *world) {
		for _, capacity := range []int{0, 1, 2} {
			c := NewChan[int](capacity)
			h := history{began: time.Now()}
			w.atOnce(historyClients, func(i int) {
				for round := range historyMoves {
					ctx, cancel := soon(i + round + 1)
					value := i*historyMoves + round
					switch rand.IntN(5) {
					case 0:
						h.record(i, move{trySending, value}, func() outcome {
							return outcomeOf(func() bool { return c.TrySend(value) })
						})
					case 1, 2:
						h.record(i, move{sending, value}, func() outcome {
							return outcomeOf(func() bool { return c.SendContext(ctx, value) == nil })
						})
					case 3:
						h.record(i, move{tryReceiving, 0}, func() outcome {
							v, ok, done := c.TryRecv()
							return outcome{done: ok, value: v, closed: done && !ok}
						})
					default:
						h.record(i, move{receiving, 0}, func() outcome {
							v, ok, err := c.RecvContext(ctx)
							return outcome{done: ok, value: v, closed: err == nil && !ok}
						})
					}
					cancel()
					if i == 0 && round == historyMoves*3/4 {
						h.record(i, move{closing, 0}, func() outcome { c.Close(); return outcome{done: true} })
					}
				}
			})
			h.check(t, channel(capacity))
		}
	})
}

func outcomeOf(send func() bool) (out outcome) {
	defer func() {
		if v := recover(); v != nil {
			if fmt.Sprint(v) != "greenthread: send on closed Chan" {
				panic(v)
			}
			out.closed = true
		}
	}()
	out.done = send()
	return out
}

// The models must be able to say no.

// An impossible history must be refused by its model.
type impossible struct {
	model porcupine.Model
	ops   []porcupine.Operation
}

func refuses(t *testing.T, all map[string]impossible) {
	t.Helper()
	for name, r := range all {
		if porcupine.CheckOperations(r.model, r.ops) {
			t.Error(name)
		}
	}
}

// one is an operation that takes one unit of time.
func one(client int, at int64, m move, out outcome) porcupine.Operation {
	return porcupine.Operation{ClientId: client, Input: m, Call: at, Output: out, Return: at + 1}
}

func TestModelsRefuseWhatCannotBe(t *testing.T) {
	done := outcome{done: true}
	refuses(t, map[string]impossible{
		"two holders":       {permits(1), []porcupine.Operation{one(0, 0, move{acquiring, 1}, done), one(1, 2, move{acquiring, 1}, done)}},
		"refused when free": {permits(1), []porcupine.Operation{one(0, 0, move{tryAcquiring, 1}, outcome{})}},
		"four permits":      {permits(3), []porcupine.Operation{one(0, 0, move{acquiring, 2}, done), one(1, 2, move{acquiring, 2}, done)}},
		"twice received": {channel(1), []porcupine.Operation{one(0, 0, move{sending, 1}, done),
			one(1, 2, move{receiving, 0}, outcome{done: true, value: 1}), one(1, 4, move{receiving, 0}, outcome{done: true, value: 1})}},
		"out of order": {channel(2), []porcupine.Operation{one(0, 0, move{sending, 1}, done), one(0, 2, move{sending, 2}, done),
			one(1, 4, move{receiving, 0}, outcome{done: true, value: 2})}},
		"more than fits":   {channel(1), []porcupine.Operation{one(0, 0, move{sending, 1}, done), one(0, 2, move{sending, 2}, done)}},
		"sent to a closed": {channel(1), []porcupine.Operation{one(0, 0, move{closing, 0}, done), one(0, 2, move{sending, 2}, done)}},
		"closed too early": {channel(1), []porcupine.Operation{one(0, 0, move{receiving, 0}, outcome{closed: true})}},
	})
}
