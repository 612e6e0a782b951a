package runtime

import (
	"context"
	"math"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

// Each value that was sent is received exactly once, those of one sender in order, and
// one that a context has ended was not sent.
func TestChanHandsOverEachValueOnce(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		for _, capacity := range []int{0, 1, 3} {
			c := NewChan[*int](capacity)
			const senders, receivers = 4, 4
			per := rounds(60)
			sent, got := make([]bool, senders*per), make([]atomic.Int32, senders*per)
			var sending atomic.Int32
			sending.Store(senders)
			w.together(senders+receivers, func(i int) {
				if i < senders {
					for round := range per {
						id := i*per + round
						v := &id
						switch (i + round) % 3 {
						case 0:
							sent[id] = c.TrySend(v)
						case 1:
							ctx, cancel := soon(i + round)
							sent[id] = c.SendContext(ctx, v) == nil
							cancel()
						default:
							c.Send(v)
							sent[id] = true
						}
					}
					if sending.Add(-1) == 0 {
						c.Close()
					}
					return
				}
				last := make([]int, senders)
				for round, open := 0, true; open; round++ {
					var v *int
					ok := false
					switch (i + round) % 3 {
					case 0:
						var done bool
						v, ok, done = c.TryRecv()
						open = ok || !done
					case 1:
						ctx, cancel := soon(i + round)
						var err error
						v, ok, err = c.RecvContext(ctx)
						cancel()
						open = ok || err != nil
					default:
						v, ok = c.Recv()
						open = ok
					}
					if !ok {
						Yield()
						continue
					}
					got[*v].Add(1)
					if s := *v / per; *v < last[s] {
						t.Errorf("%d came after %d", *v, last[s])
					} else {
						last[s] = *v
					}
				}
			})
			for id := range sent {
				if want := int32(0); got[id].Load() != want && !sent[id] || sent[id] && got[id].Load() != 1 {
					t.Errorf("capacity %d: value %d: sent %v, received %d times", capacity, id, sent[id], got[id].Load())
				}
			}
			if !c.senders.empty() || !c.receivers.empty() {
				t.Error("somebody still waits")
			}
		}
	})
}

func TestChanKeepsTheOrderOfThoseWhoWait(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		c := NewChan[int](2)
		var waits []func()
		for i := range 6 {
			waits = append(waits, w.started(1, func(int) { c.Send(i) }))
			if i < 2 {
				waits[i]()
			} else {
				queued(&c.guard, &c.senders, i-1)
			}
		}
		if c.Len() != 2 || c.Cap() != 2 {
			t.Errorf("length %d, capacity %d", c.Len(), c.Cap())
		}
		for want := range 6 {
			if v, ok := c.Recv(); v != want || !ok {
				t.Errorf("received %d, want %d", v, want)
			}
		}
		for _, wait := range waits {
			wait()
		}
	})
}

func TestChanCloseWakesAll(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		c := NewChan[int](0)
		receivers := w.started(5, func(i int) {
			var v int
			var ok bool
			if i%2 == 0 {
				v, ok = c.Recv()
			} else {
				var err error
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				defer cancel()
				v, ok, err = c.RecvContext(ctx)
				wantErr(t, err, nil)
			}
			if v != 0 || ok {
				t.Errorf("received %d, %v", v, ok)
			}
		})
		queued(&c.guard, &c.receivers, 5)
		c.Close()
		receivers()

		full := NewChan[int](1)
		full.Send(1)
		const closed = "greenthread: send on closed Chan"
		senders := w.started(4, func(i int) {
			wantMessage(t, closed, func() {
				if i%2 == 0 {
					full.Send(2)
				} else {
					ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
					defer cancel()
					_ = full.SendContext(ctx, 2)
				}
			})
		})
		queued(&full.guard, &full.senders, 4)
		full.Close()
		senders()
		w.alone(func() {
			wantMessage(t, closed, func() { full.Send(3) })
			wantMessage(t, closed, func() { full.TrySend(3) })
			wantMessage(t, closed, func() { _ = full.SendContext(ended(), 3) })
			wantMessage(t, "greenthread: close of closed Chan", full.Close)
			if got := slices.Collect(full.All()); !slices.Equal(got, []int{1}) {
				t.Errorf("left in the closed channel: %v", got)
			}
			if v, ok, done := full.TryRecv(); v != 0 || ok || !done {
				t.Error(v, ok, done)
			}
		})
	})
}

func TestChanWaitEndsWithItsContext(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		w.alone(func() {
			c := NewChan[int](1)
			_, _, err := c.RecvContext(ended())
			wantErr(t, err, errStop)
			wantErr(t, c.SendContext(ended(), 7), nil) // there is room
			wantErr(t, c.SendContext(ended(), 8), errStop)
			ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
			defer cancel()
			wantErr(t, c.SendContext(ctx, 8), context.DeadlineExceeded)
			v, ok, err := c.RecvContext(ended()) // there is one
			if v != 7 || !ok || err != nil {
				t.Error(v, ok, err)
			}
			if v, ok, done := c.TryRecv(); v != 0 || ok || done {
				t.Error(v, ok, done)
			}
		})
	})
}

func TestNilChanIsNeverReady(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		w.alone(func() {
			var c *Chan[int]
			if c.Len() != 0 || c.Cap() != 0 || c.TrySend(1) {
				t.Error("it does something")
			}
			if _, _, done := c.TryRecv(); done {
				t.Error("it gave something")
			}
			wantErr(t, c.SendContext(ended(), 1), errStop)
			_, _, err := c.RecvContext(ended())
			wantErr(t, err, errStop)
			wantMessage(t, "greenthread: close of nil Chan", c.Close)
		})
	})
	wantMessage(t, "greenthread: NewChan with capacity -1", func() { NewChan[int](-1) })
	if message(func() { NewChan[int](math.MaxInt) }) == "" {
		t.Error("a channel of any size")
	}
	var zero Chan[string]
	if zero.Cap() != 0 || zero.TrySend("") {
		t.Error("the zero value is not unbuffered")
	}
}

// A channel keeps the slots of those that have waited.
func TestChanAllocatesNothingInTheSteadyState(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	if !backend().Native {
		t.Skip("the portable backend makes a waiter for each wait")
	}
	for _, capacity := range []int{0, 1} {
		ping, pong := NewChan[[4]int](capacity), NewChan[[4]int](capacity)
		go func() {
			for v := range ping.All() {
				pong.Send(v)
			}
		}()
		trip := func() {
			ping.Send([4]int{1})
			pong.Recv()
		}
		if n := testing.AllocsPerRun(200, trip); n != 0 {
			t.Errorf("capacity %d: %v allocations a round trip of goroutines", capacity, n)
		}
		ping.Close()
		r := runtimeOf(t, 1)
		ping = NewChan[[4]int](capacity)
		join(t, start(t, r, func() {
			for v := range ping.All() {
				pong.Send(v)
			}
		}), start(t, r, func() {
			if n := testing.AllocsPerRun(200, trip); n != 0 {
				t.Errorf("capacity %d: %v allocations a round trip of threads", capacity, n)
			}
			ping.Close()
		}))
	}
}
