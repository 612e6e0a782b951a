package runtime

import (
	"sync/atomic"
	"testing"
	"time"
)

// TestBriefThreadsWakeNobody: where threads are over sooner than they are moved, carriers
// are woken for a few bursts, and then hardly ever.
func TestBriefThreadsWakeNobody(t *testing.T) {
	watch(t)
	if raceEnabled || !backend().Native {
		t.Skip("a thread that does nothing takes a microsecond or more here, and is worth a wake")
	}
	r := runtimeOf(t, 2)
	const bursts, size = 500, 1000
	var woken uint64
	join(t, start(t, r, func() {
		var threads [size]*Thread
		burst := func() {
			for i := range threads {
				threads[i] = start(t, r, func() {})
			}
			join(t, threads[:]...)
		}
		for range 100 {
			burst()
		}
		before := r.Stats().Wakes
		for range bursts {
			burst()
		}
		woken = r.Stats().Wakes - before
	}))
	t.Logf("%d wakes in %d bursts of %d threads", woken, bursts, size)
	if woken > 2*bursts { // there were 14 in each
		t.Errorf("%d wakes in %d bursts of %d threads", woken, bursts, size)
	}
}

// TestALullDoesNotHoldUpThreads: two threads that can only end together do, though nobody
// is woken for them but by the monitor; and the lull is over then.
func TestALullDoesNotHoldUpThreads(t *testing.T) {
	watch(t)
	r := runtimeOf(t, 2)
	for range 20 {
		r.singles.length.Store(maxLull)
		r.crowds.length.Store(maxLull)
		var here atomic.Int32
		meet := func() {
			here.Add(1)
			for here.Load() < 2 {
			}
			for end := time.Now().Add(time.Duration(2*worthHauling) * time.Nanosecond); time.Now().Before(end); {
			}
		}
		join(t, start(t, r, func() { join(t, start(t, r, meet), start(t, r, meet)) }))
		// The carrier that has helped sees that when it has nothing to run any more.
		for r.singles.length.Load() == maxLull && r.crowds.length.Load() == maxLull {
			time.Sleep(100 * time.Microsecond)
		}
	}
}
