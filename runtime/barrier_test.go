package runtime

import (
	"context"
	"sync/atomic"
	"testing"
)

func TestBarrierIsPassedByAllTogether(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		const parties = 5
		b := NewBarrier(parties)
		var lasts atomic.Int32
		places := make([]int, parties) // read by all between two meetings
		w.together(parties, func(i int) {
			for round := range rounds(40) {
				places[i] = round
				last, err := b.Wait(context.Background())
				wantErr(t, err, nil)
				if last {
					lasts.Add(1)
				}
				for j, got := range places {
					if got != round {
						t.Errorf("round %d: %d is in round %d", round, j, got)
					}
				}
				_, _ = b.Wait(context.Background())
			}
		})
		if int(lasts.Load()) != rounds(40) {
			t.Errorf("%d were last, in %d meetings", lasts.Load(), rounds(40))
		}
	})
}

// Those who leave do not count; each meeting has exactly as many as it should.
func TestBarrierDoesNotCountThoseWhoLeft(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		const parties, clients = 3, 7
		b := NewBarrier(parties)
		var met, lasts atomic.Int32
		w.together(clients, func(i int) {
			for round := range rounds(40) {
				ctx, cancel := soon(i + round)
				last, err := b.Wait(ctx)
				cancel()
				if err == nil {
					met.Add(1)
				}
				if last {
					lasts.Add(1)
				}
			}
		})
		if met.Load() != parties*lasts.Load() {
			t.Errorf("%d have met, in %d meetings of %d", met.Load(), lasts.Load(), parties)
		}
		if !b.queue.empty() {
			t.Error("somebody is still there")
		}
	})
}

func TestBarrierRefusesWhatCannotBe(t *testing.T) {
	wantMessage(t, "greenthread: NewBarrier for 0 parties, it must be at least 1", func() { NewBarrier(0) })
	var b Barrier
	wantMessage(t, "greenthread: Wait on a Barrier that NewBarrier has not made", func() { _, _ = b.Wait(context.Background()) })
	if last, err := NewBarrier(1).Wait(ended()); !last || err != nil {
		t.Error(last, err)
	}
	_, err := NewBarrier(2).Wait(ended())
	wantErr(t, err, errStop)
}
