package runtime

import (
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// TestASpinIsTakenWhereTimeStandsStill: who waits long for a spin sleeps. In a bubble in
// which something always runs, only the real clock wakes it.
func TestASpinIsTakenWhereTimeStandsStill(t *testing.T) {
	watch(t)
	synctest.Test(t, func(t *testing.T) {
		var l spin
		var held atomic.Bool
		l.lock()
		go func() {
			l.lock()
			held.Store(true)
		}()
		for range 100_000 { // the other looks spinYields times before it sleeps
			runtime.Gosched()
		}
		l.unlock()
		for !held.Load() {
			runtime.Gosched()
		}
	})
}
