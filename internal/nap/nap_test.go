package nap_test

import (
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"greenthread/internal/nap"
)

// TestForEndsWhereTimeStandsStill: in a bubble in which something always runs, time.Sleep
// does not return.
func TestForEndsWhereTimeStandsStill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		before := time.Now()
		var awake atomic.Bool
		go func() {
			nap.For(20 * time.Microsecond)
			awake.Store(true)
		}()
		for !awake.Load() {
			runtime.Gosched()
		}
		if now := time.Now(); !now.Equal(before) {
			t.Errorf("it took %v of the bubble's time", now.Sub(before))
		}
	})
}
