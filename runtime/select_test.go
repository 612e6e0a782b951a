package runtime

import (
	"context"
	"sync/atomic"
	"testing"
	"time"
)

func TestSelectTakesWhatIsReady(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		w.alone(func() {
			empty, full, room := NewChan[int](1), NewChan[string](1), NewChan[int](1)
			var none *Chan[int]
			full.Send("x")
			var s string
			var ok bool
			never := []Case{empty.RecvCase(nil, nil), full.SendCase("y"), none.SendCase(1), none.RecvCase(nil, nil), DoneCase(context.Background())}
			if i := Select(append(never, DefaultCase())...); i != len(never) {
				t.Errorf("case %d, want the default", i)
			}
			if i := Select(append(never, full.RecvCase(&s, &ok))...); i != len(never) || s != "x" || !ok {
				t.Errorf("case %d, received %q, %v", i, s, ok)
			}
			full.Send("x")
			if i := Select(append(never, room.SendCase(7))...); i != len(never) || room.Len() != 1 {
				t.Errorf("case %d, %d in the buffer", i, room.Len())
			}
			if i := Select(append(never, DoneCase(ended()), DefaultCase())...); i != len(never) {
				t.Errorf("case %d, want the ended context", i)
			}
			began := time.Now()
			if i := Select(append(never, AfterCase(time.Hour), AfterCase(time.Millisecond))...); i != len(never)+1 || time.Since(began) < time.Millisecond {
				t.Errorf("case %d after %v", i, time.Since(began))
			}
			if i := Select(append(never, AfterCase(0))...); i != len(never) {
				t.Errorf("case %d, want the timeout", i)
			}
			ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
			defer cancel()
			if i := Select(append(never, AfterCase(time.Hour), DoneCase(ctx))...); i != len(never)+1 {
				t.Errorf("case %d, want the context", i)
			}
			full.Close()
			wantMessage(t, "greenthread: send on closed Chan", func() { Select(full.SendCase("")) })
			Select(full.RecvCase(&s, &ok))
			if Select(full.RecvCase(&s, &ok)); s != "" || ok {
				t.Errorf("received %q, %v from a closed channel", s, ok)
			}
		})
	})
	wantMessage(t, "greenthread: case 1 of Select is nil", func() { Select(DefaultCase(), nil) })
	wantMessage(t, "greenthread: cases 0 and 1 of Select are both DefaultCase", func() { Select(DefaultCase(), DefaultCase()) })
}

// Each case that can be done is chosen as often as the others.
func TestSelectIsFair(t *testing.T) {
	a, b := NewChan[int](1), NewChan[int](1)
	cases := []Case{NewChan[int](0).RecvCase(nil, nil), a.RecvCase(nil, nil), b.RecvCase(nil, nil), AfterCase(0), DoneCase(ended())}
	count := make([]int, len(cases))
	const n = 8000
	for range n {
		a.TrySend(1)
		b.TrySend(1)
		count[Select(cases...)]++
	}
	for i, got := range count[1:] {
		if got < n/4*8/10 || got > n/4*12/10 { // 2000 times, with a deviation of 39
			t.Errorf("case %d was chosen %d times of %d: %v", i+1, got, n, count)
		}
	}
}

// All send and receive on the same channels, by Select and otherwise: each value that was
// sent is received once, and nobody is left behind.
func TestSelectMovesEachValueOnce(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		chans := []*Chan[int]{NewChan[int](0), NewChan[int](1), NewChan[int](0)}
		const clients = 6
		per := rounds(60)
		sent, got := make([]atomic.Int32, clients*per), make([]atomic.Int32, clients*per)
		w.together(clients, func(i int) {
			var v int
			var ok bool
			var receive []Case // used again and again
			for _, c := range chans {
				receive = append(receive, c.RecvCase(&v, &ok))
			}
			for round := range per {
				id := i*per + round
				a, b := chans[(i+round)%3], chans[(i+round+1)%3]
				ctx, cancel := soon(i + round)
				switch round % 4 {
				case 0: // both ways, also on the same channel
					if k := Select(a.SendCase(id), b.SendCase(id), a.RecvCase(&v, nil), b.RecvCase(&v, nil), DoneCase(ctx)); k < 2 {
						sent[id].Add(1)
					} else if k < 4 {
						got[v].Add(1)
					}
				case 1:
					if k := Select(append(receive, AfterCase(time.Duration(round)*time.Microsecond))...); k < 3 {
						if !ok {
							t.Error("closed")
						}
						got[v].Add(1)
					}
				case 2:
					if a.SendContext(ctx, id) == nil {
						sent[id].Add(1)
					}
				case 3:
					if k := Select(b.SendCase(id), a.RecvCase(&v, &ok), DefaultCase()); k == 0 {
						sent[id].Add(1)
					} else if k == 1 {
						got[v].Add(1)
					}
				}
				cancel()
			}
		})
		for v, ok, done := chans[1].TryRecv(); done; v, ok, done = chans[1].TryRecv() {
			if !ok {
				t.Fatal("closed")
			}
			got[v].Add(1)
		}
		for id := range sent {
			if sent[id].Load() > 1 || sent[id].Load() != got[id].Load() {
				t.Errorf("value %d: sent %d times, received %d times", id, sent[id].Load(), got[id].Load())
			}
		}
		for i, c := range chans {
			if !c.senders.empty() || !c.receivers.empty() {
				t.Errorf("somebody still waits at %d", i)
			}
		}
	})
}

// Selects that lock the same channels in different orders do not block each other.
func TestSelectsInACircle(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		const n = 5
		var chans [n]*Chan[int]
		for i := range chans {
			chans[i] = NewChan[int](0)
		}
		per := rounds(60)
		w.together(n, func(i int) { // each sends to the right as often as it receives from the left
			right, left := chans[i], chans[(i+n-1)%n]
			var v int
			for sends, receives := 0, 0; sends < per || receives < per; {
				send, receive := right, left
				if sends == per {
					send = nil
				}
				if receives == per {
					receive = nil
				}
				if Select(send.SendCase(sends), receive.RecvCase(&v, nil)) == 0 {
					sends++
				} else if v != receives {
					t.Errorf("received %d, want %d", v, receives)
				} else {
					receives++
				}
			}
		})
	})
}

func TestSelectThatWaitsSeesTheClose(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		a, b := NewChan[int](0), NewChan[int](0)
		receiver := w.started(1, func(int) {
			v, ok := 1, true
			if i := Select(a.RecvCase(nil, nil), b.RecvCase(&v, &ok)); i != 1 || v != 0 || ok {
				t.Errorf("case %d: %d, %v", i, v, ok)
			}
		})
		queued(&b.guard, &b.receivers, 1)
		b.Close()
		receiver()
		sender := w.started(1, func(int) {
			wantMessage(t, "greenthread: send on closed Chan", func() { Select(a.SendCase(1), AfterCase(time.Minute)) })
		})
		queued(&a.guard, &a.senders, 1)
		a.Close()
		sender()
		if !a.receivers.empty() {
			t.Error("the receiver is still there")
		}
	})
}

func TestSelectWithoutCasesWaitsForEver(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		if w.rt != nil {
			return // its runtime could not be closed
		}
		returned := make(chan int, 1)
		w.start(0, func() { returned <- Select() })
		select {
		case i := <-returned:
			t.Errorf("case %d", i)
		case <-time.After(time.Millisecond):
		}
	})
}

func TestSelectAllocatesNothingWithCasesThatAreUsedAgain(t *testing.T) {
	if !backend().Native {
		t.Skip("the portable backend makes a waiter for each wait")
	}
	a, b := NewChan[int](1), NewChan[int](1)
	var v int
	cases := []Case{a.RecvCase(&v, nil), b.RecvCase(&v, nil), b.SendCase(1), DefaultCase()}
	wantNoAllocations(t, "Select", func() { Select(cases...) })
}
