package exp

import (
	"context"
	"testing"

	"greenthread/bench/internal/measure"
)

func TestBurstsOfGreenThreadsAreJoined(t *testing.T) {
	for _, inside := range []bool{true, false} {
		s, err := newGreenBursts(50, inside)
		if err != nil {
			t.Fatal(err)
		}
		b := s.(greenBursts)
		r, err := b.Sample(t.Context(), measure.NewClock(), 3)
		if err != nil || r.Ops != 3 || r.Elapsed <= 0 {
			t.Errorf("inside %v: %+v, %v", inside, r, err)
		}
		ids := map[uint64]bool{}
		for _, thread := range b.burst {
			ids[thread.ID()] = true
			select {
			case <-thread.Done():
			default:
				t.Errorf("inside %v: a thread has not ended", inside)
			}
		}
		if len(ids) != 50 {
			t.Errorf("inside %v: there were %d threads", inside, len(ids))
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if _, err := b.Sample(context.Background(), measure.NewClock(), 1); err == nil {
			t.Errorf("inside %v: it goes on with a closed runtime", inside)
		}
	}
}
