package runtime

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// What happens to a Cond. A wait is two moves in the same interval: that it begins, and
// that it ends; value is its number.
const (
	beginsToWait moveKind = renounces + 1 + iota
	endsToWait            // done: it was woken; else its context has ended
	signalling
	broadcasting
)

// bench is the state of the model of a Cond: who waits, in the order in which they came, and
// who was woken and has not said so.
type bench struct{ waiting, woken []int }

// conditions is the model of a Cond.
func conditions() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return bench{} },
		Step: func(state, input, output any) (bool, any) {
			s, m, out := state.(bench), input.(move), output.(outcome)
			switch m.kind {
			case beginsToWait:
				return true, bench{with(s.waiting, m.value), s.woken}
			case endsToWait:
				if out.done {
					return slices.Contains(s.woken, m.value), bench{s.waiting, without(s.woken, m.value)}
				}
				// Who was woken cannot give up, or a Signal would be lost.
				return slices.Contains(s.waiting, m.value), bench{without(s.waiting, m.value), s.woken}
			case signalling:
				if len(s.waiting) > 0 {
					s = bench{s.waiting[1:], with(s.woken, s.waiting[0])}
				}
			case broadcasting:
				s = bench{nil, with(s.woken, s.waiting...)}
			}
			return true, s
		},
		Equal: func(a, b any) bool {
			x, y := a.(bench), b.(bench)
			return slices.Equal(x.waiting, y.waiting) && slices.Equal(x.woken, y.woken)
		},
	}
}

// with and without are sets, in which only the order of bench.waiting matters.
func with(s []int, values ...int) []int { return append(slices.Clone(s), values...) }

func without(s []int, value int) []int {
	return slices.DeleteFunc(slices.Clone(s), func(v int) bool { return v == value })
}

// wait records a wait, which is called with c.L held.
func (h *history) wait(client, number int, c *Cond, ctx context.Context) {
	call := time.Since(h.began)
	err := c.WaitContext(ctx)
	end := time.Since(h.began)
	h.Lock()
	defer h.Unlock()
	for kind, out := range map[moveKind]outcome{beginsToWait: {}, endsToWait: {done: err == nil}} {
		h.operations = append(h.operations, porcupine.Operation{
			ClientId: client, Input: move{kind, number}, Call: int64(call), Output: out, Return: int64(end),
		})
	}
}

func TestHistoriesOfCondWakeInOrder(t *testing.T) {
	histories(t, func(t *testing.T, w *world) {
		var mu Mutex
		c := NewCond(&mu)
		h := history{began: time.Now()}
		signal := func(i int) outcome { c.Signal(); return outcome{} }
		left := make(chan bool, historyClients)
		finished := w.startedAtOnce(historyClients, func(i int) {
			for round := range historyMoves / 2 {
				ctx, cancel := soon(i + round)
				switch rand.IntN(3) {
				case 0:
					mu.Lock()
					if rand.IntN(2) == 0 { // until somebody wakes it
						h.wait(i, i*historyMoves+round, c, context.Background())
					} else {
						h.wait(i, i*historyMoves+round, c, ctx)
					}
					mu.Unlock()
				case 1:
					h.record(i, move{signalling, 0}, func() outcome { return signal(i) })
				default:
					mu.Lock() // so that those who wait have begun
					h.record(i, move{signalling, 0}, func() outcome { return signal(i) })
					mu.Unlock()
					hold()
				}
				cancel()
			}
			left <- true
		})
		for n := 0; n < historyClients; {
			select {
			case <-left:
				n++
			case <-time.After(200 * time.Microsecond): // for those that nobody else will wake
				h.record(historyClients, move{broadcasting, 0}, func() outcome { c.Broadcast(); return outcome{} })
			}
		}
		finished()
		h.check(t, conditions())
	})
}

// TestHistoriesOfAQueueMadeOfCondAreThoseOfAQueue has a buffer whose users only Signal: one
// that is lost leaves somebody waiting for ever, and one too many would show in the values.
func TestHistoriesOfAQueueMadeOfCondAreThoseOfAQueue(t *testing.T) {
	const capacity = 2
	histories(t, func(t *testing.T, w *world) {
		var mu Mutex
		room, stock := NewCond(&mu), NewCond(&mu)
		var values []int
		h := history{began: time.Now()}
		send := func(ctx context.Context, v int) bool {
			mu.Lock()
			defer mu.Unlock()
			for len(values) == capacity {
				if room.WaitContext(ctx) != nil {
					return false
				}
			}
			values = append(values, v)
			stock.Signal()
			return true
		}
		receive := func(ctx context.Context) (int, bool) {
			mu.Lock()
			defer mu.Unlock()
			for len(values) == 0 {
				if stock.WaitContext(ctx) != nil {
					return 0, false
				}
			}
			v := values[0]
			values = values[1:]
			room.Signal()
			return v, true
		}
		sometimes := func(n int) (context.Context, context.CancelFunc) { // a limit
			if n%3 == 0 {
				return soon(n)
			}
			return context.WithCancel(context.Background())
		}
		w.atOnce(historyClients, func(i int) {
			if i < historyClients/2 { // sends, and last the word to end
				for round := range historyMoves {
					ctx, cancel := sometimes(i + round)
					v := 1 + i*historyMoves + round
					h.record(i, move{sending, v}, func() outcome { return outcome{done: send(ctx, v)} })
					cancel()
				}
				h.record(i, move{sending, 0}, func() outcome { return outcome{done: send(context.Background(), 0)} })
				return
			}
			for round, last := 0, false; !last; round++ {
				ctx, cancel := sometimes(i + round)
				h.record(i, move{receiving, 0}, func() outcome {
					v, ok := receive(ctx)
					last = ok && v == 0
					return outcome{done: ok, value: v}
				})
				cancel()
			}
		})
		h.check(t, channel(capacity))
	})
}

func TestModelOfCondRefusesWhatCannotBe(t *testing.T) {
	done, not := outcome{done: true}, outcome{}
	wait := func(number int, from, until int64, out outcome) []porcupine.Operation {
		return []porcupine.Operation{
			{ClientId: number, Input: move{beginsToWait, number}, Call: from, Output: not, Return: until},
			{ClientId: number, Input: move{endsToWait, number}, Call: from, Output: out, Return: until},
		}
	}
	signal := one(9, 10, move{signalling, 0}, not)
	refuses(t, map[string]impossible{
		"woken by nobody":          {conditions(), wait(1, 0, 20, done)},
		"woken too early":          {conditions(), append(wait(1, 0, 5, done), signal)},
		"two woken by one signal":  {conditions(), slices.Concat(wait(1, 0, 20, done), wait(2, 0, 20, done), []porcupine.Operation{signal})},
		"a second one woken twice": {conditions(), slices.Concat(wait(1, 0, 20, done), wait(1, 0, 30, done), []porcupine.Operation{signal})},
	})
	if !porcupine.CheckOperations(conditions(), slices.Concat(wait(1, 0, 20, not), wait(2, 0, 20, done), []porcupine.Operation{signal})) {
		t.Error("one gives up, and the next is woken: that can be")
	}
}
