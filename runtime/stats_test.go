package runtime

import (
	"testing"
	"time"
)

func TestStatsCountThreadsAndSwitches(t *testing.T) {
	watch(t)
	r := runtimeOf(t, 1)
	const threads, yields = 10, 1000
	var all []*Thread
	join(t, start(t, r, func() {
		for range threads - 1 { // none of them runs before all are there
			all = append(all, start(t, r, func() {
				for range yields {
					Yield()
				}
				Park()
			}))
		}
	}))
	for _, th := range all {
		for th.Waits() != WaitPark {
			time.Sleep(time.Millisecond)
		}
	}
	s := r.Stats()
	for s.Sleeps == 0 || s.Asleep == 0 { // a thread waits a moment before its carrier has found nothing else
		time.Sleep(time.Millisecond)
		s = r.Stats()
	}
	if s.Started != threads || s.Ended != 1 || s.Live != threads-1 || s.Waiting != threads-1 || s.Ready != 0 || s.Running != 0 {
		t.Errorf("while all wait: %+v", s)
	}
	// The last one that is left yields in vain.
	if s.Switches < (threads-2)*yields || s.Switches > 2*threads*yields {
		t.Errorf("%d switches by %d threads that yield %d times", s.Switches, threads, yields)
	}
	if backend().Native && s.Anchors-s.IdleAnchors != threads-1 || !backend().Native && s.Anchors != 0 {
		t.Errorf("%d anchors, %d idle", s.Anchors, s.IdleAnchors)
	}
	wakes := s.Wakes
	for _, th := range all {
		th.Unpark()
	}
	join(t, all...)
	s = r.Stats()
	if s.Started != threads || s.Ended != threads || s.Live != 0 {
		t.Errorf("at the end: %+v", s)
	}
	if s.Wakes == wakes {
		t.Error("ten threads were woken from outside, and no carrier")
	}
	if backend().Native && s.Anchors-s.IdleAnchors > 1 { // the last may be about to become idle
		t.Errorf("at the end %d anchors, %d idle", s.Anchors, s.IdleAnchors)
	}
	if s.Carriers != len(s.Queues) || s.Carriers-s.Spares != 1 {
		t.Errorf("%d carriers, %d of them spare, %d queues", s.Carriers, s.Spares, len(s.Queues))
	}
}

func TestStatsCountTimersAndBlockedCarriers(t *testing.T) {
	watch(t)
	r := runtimeOf(t, 1)
	release := make(chan bool)
	blocked := start(t, r, func() { <-release })
	sleeper := start(t, r, func() { ParkTimeout(time.Hour) })
	for sleeper.Waits() != WaitPark {
		time.Sleep(time.Millisecond)
	}
	for r.Stats().Blocked != 1 {
		time.Sleep(time.Millisecond)
	}
	if s := r.Stats(); s.Timers != 1 || s.Running != 1 || s.Waiting != 1 || s.Spares == 0 {
		t.Errorf("one blocks in Go, one waits for a timer: %+v", s)
	}
	close(release)
	sleeper.Unpark()
	join(t, blocked, sleeper)
	if s := r.Stats(); s.Timers != 0 {
		t.Errorf("%d timers at the end", s.Timers)
	}
}

func TestStatsCountSteals(t *testing.T) {
	watch(t)
	r := runtimeOf(t, 2)
	stop := make(chan bool)
	hog := start(t, r, func() {
		var inside []*Thread
		for range 64 {
			inside = append(inside, start(t, r, func() {}))
		}
		join := func() bool {
			for _, th := range inside {
				if !th.over() {
					return false
				}
			}
			return true
		}
		for !join() { // the other carrier runs them
			select {
			case <-stop:
				return
			default:
			}
		}
	})
	join(t, hog)
	if s := r.Stats(); s.Steals == 0 {
		t.Errorf("%+v", s)
	}
}

// TestSwitchesAreCountedBeyondTheTurn lets the turn wrap around.
func TestSwitchesAreCountedBeyondTheTurn(t *testing.T) {
	c := &carrier{rt: &Runtime{}}
	for range 5 {
		publish(&c.turn, c.turn+1<<30)
		c.account()
	}
	if n := c.counts.switches.load(); n != 5<<30 {
		t.Errorf("%d switches, want %d", n, 5<<30)
	}
}

// TestStatsCountNoLessThanNoneAsBlocked: a carrier that goes on counts itself out, and the monitor
// may have done that, too.
func TestStatsCountNoLessThanNoneAsBlocked(t *testing.T) {
	r := runtimeOf(t, 1)
	r.blocked.Store(-1)
	if n := r.Stats().Blocked; n != 0 {
		t.Errorf("%d carriers are blocked", n)
	}
}
