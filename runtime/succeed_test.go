package runtime

import (
	"math/rand/v2"
	"testing"
	"time"
)

// An anchor whose thread has ended looks for the next one, and so for timers that have
// come, while no thread is bound to it.
func TestTimersComeWhileThreadsEnd(t *testing.T) {
	watch(t)
	const threads, most = 10_000, 100 * time.Millisecond
	r := runtimeOf(t, 2)
	for range 4 {
		all := make([]*Thread, threads)
		for i := range all {
			all[i] = start(t, r, func() {
				for range 3 {
					Sleep(rand.N(most))
				}
			})
		}
		join(t, all...)
	}
}
