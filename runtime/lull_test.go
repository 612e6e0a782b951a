package runtime

import (
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestBriefThreadsWakeNobody: where threads are over sooner than they are moved, carriers
// are woken for a few bursts, and then hardly ever.
func TestBriefThreadsWakeNobody(t *testing.T) {
	watch(t)
	if raceEnabled || Emulated() || !backend().Native {
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
	if woken > 4*bursts { // there were 14 in each; a busy machine makes threads slow, and wakes worth it
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
			for end := time.Now().Add(time.Duration(2*longHaul) * time.Nanosecond); time.Now().Before(end); {
			}
		}
		join(t, start(t, r, func() { join(t, start(t, r, meet), start(t, r, meet)) }))
		// The carrier that has helped sees that when it has nothing to run any more.
		for r.singles.length.Load() == maxLull && r.crowds.length.Load() == maxLull {
			time.Sleep(100 * time.Microsecond)
		}
	}
}

// TestWhatABlockedThreadHasStartedIsNotLeftAlone: the threads are brief, but nobody else would
// run them. A carrier that helps goes on until nothing is left.
func TestWhatABlockedThreadHasStartedIsNotLeftAlone(t *testing.T) {
	watch(t)
	for _, carriers := range []int{1, 2} {
		r := runtimeOf(t, carriers)
		const size = 20_000
		var woken uint64
		join(t, start(t, r, func() {
			var ran atomic.Int32
			for range size {
				start(t, r, func() { ran.Add(1) })
			}
			before := r.Stats().Wakes
			for ran.Load() < size {
				time.Sleep(100 * time.Microsecond)
			}
			woken = r.Stats().Wakes - before
		}))
		if woken > size/33/4 { // they are stolen 33 at a time
			t.Errorf("%d carriers: one was woken %d times for %d threads", carriers, woken, size)
		}
	}
}

// TestThereIsNoLullInABubble, where no time passes while anything runs, so that all threads are
// brief, and the monitor does not come.
func TestThereIsNoLullInABubble(t *testing.T) {
	watch(t)
	synctest.Test(t, func(t *testing.T) {
		r, err := New(Config{Carriers: 2})
		if err != nil {
			t.Fatal(err)
		}
		th := start(t, r, func() {
			for range 300 {
				var ran atomic.Int32
				for range 4 {
					start(t, r, func() { ran.Add(1) })
				}
				for ran.Load() < 4 {
					runtime.Gosched()
				}
			}
		})
		<-th.Done()
		if err := r.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
