package futex_test

import (
	"sync/atomic"
	"testing"
	"time"

	"greenthread/futex"
)

func TestWallDeadlines(t *testing.T) {
	onEachScope(t, func(t *testing.T, scope futex.Scope) {
		word := new(uint32)
		for _, d := range []time.Duration{-100 * 365 * 24 * time.Hour, -time.Second, 0, 5 * time.Millisecond} {
			end := time.Now().Add(d)
			var err error
			for err == nil {
				err = futex.WaitUntilWall(word, 0, end, scope)
			}
			if err != futex.ErrTimeout {
				t.Errorf("%v: got %v", d, err)
			}
			if left := time.Until(end.Round(0)); left > 0 {
				t.Errorf("returned %v before the deadline", left)
			}
		}
	})
}

// 2038 is where 32-bit seconds end; the last one that time.Time can name is beyond what nanoseconds can count.
func TestFarWallDeadlinesDoNotEndAWait(t *testing.T) {
	onEachScope(t, func(t *testing.T, scope futex.Scope) {
		for _, end := range []time.Time{
			{}, time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(3000, 1, 1, 0, 0, 0, 0, time.UTC), time.Unix(1<<61, 0),
		} {
			word := new(uint32)
			c := asleepOn(t, word, 1, func(int) error { return futex.WaitUntilWall(word, 0, end, scope) })
			time.Sleep(2 * time.Millisecond)
			atomic.StoreUint32(word, 1)
			if n, err := futex.Wake(word, 1, scope); n != 1 || err != nil {
				t.Errorf("%v: woke %d, %v: the wait was over", end, n, err)
			}
			c.all.Wait()
		}
	})
}

func TestSignalsLeaveTheWallDeadlineAlone(t *testing.T) {
	onEachScope(t, func(t *testing.T, scope futex.Scope) {
		underFire(func() {
			end := time.Now().Add(30 * time.Millisecond).Round(0)
			var err error
			for err == nil {
				err = futex.WaitUntilWall(new(uint32), 0, end, scope)
			}
			if left := time.Until(end); err != futex.ErrTimeout || left > 0 {
				t.Errorf("got %v, %v early", err, left)
			}
		})
	})
}
