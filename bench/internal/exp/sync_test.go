package exp

import (
	"strings"
	"sync/atomic"
	"testing"

	"greenthread/bench/internal/measure"
)

func TestContestIsSoManyOperationsOfAllThreads(t *testing.T) {
	for _, n := range []int{1, 7, 100, 1003} {
		var enters, leaves atomic.Int64
		var by [8]atomic.Int64
		games := 0
		crew, _ := goCrew()
		c := contest{crew: crew, threads: len(by), game: func() syncGame {
			games++
			return syncGame{
				enter: func(thread int) { enters.Add(1); by[thread].Add(1) },
				leave: func(int) { leaves.Add(1) },
			}
		}}
		r, err := c.Sample(t.Context(), measure.NewClock(), n)
		if err != nil || r.Ops != n || r.Elapsed < 0 || len(r.Latencies) != measure.LatencyPoints {
			t.Errorf("%d operations: %+v, %v", n, r, err)
		}
		// All is done twice.
		if enters.Load() != int64(2*n) || leaves.Load() != int64(2*n) || games != 2 {
			t.Errorf("%d operations: %d begun, %d ended, in %d games", n, enters.Load(), leaves.Load(), games)
		}
		for thread := range by {
			if got := by[thread].Load() / 2; got < int64(n/len(by)) || got > int64(n/len(by)+1) {
				t.Errorf("%d operations: thread %d has done %d", n, thread, got)
			}
		}
	}
}

func TestContestFindsLostOperations(t *testing.T) {
	crew, _ := goCrew()
	c := contest{crew: crew, threads: 2, game: func() syncGame {
		return syncGame{enter: func(int) {}, leave: func(int) {}, seen: func() int64 { return 9 }}
	}}
	if _, err := c.Sample(t.Context(), measure.NewClock(), 10); err == nil || !strings.Contains(err.Error(), "9 operations were counted, and 10 done") {
		t.Errorf("the error is %v", err)
	}
}
