package runtime

import (
	"context"
	"testing"
	"time"
)

// TestContextsWakeWhoWaits: the end of a context ends each wait of a thread that has one, with
// the cause, and does not take what is for another wait.
func TestContextsWakeWhoWaits(t *testing.T) {
	watch(t)
	for _, carriers := range []int{1, 2} {
		r := runtimeOf(t, carriers)
		other := start(t, r, Park)
		for why, wait := range map[Reason]func(context.Context) error{
			WaitPark:  ParkContext,
			WaitSleep: func(ctx context.Context) error { return SleepContext(ctx, time.Hour) },
			WaitJoin:  other.Join,
		} {
			ctx, cancel := context.WithCancelCause(context.Background())
			var err, again error
			th := start(t, r, func() {
				err = wait(ctx)
				again = wait(ctx)
			})
			for th.Waits() != why {
				Yield()
			}
			cancel(errBroken)
			join(t, th)
			if err != errBroken || again != errBroken {
				t.Errorf("%v: %v, and after the end of the context %v", why, err, again)
			}
		}
		join(t, start(t, r, func() { // a token is worth more than the end of the context
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			Current().Unpark()
			if err := ParkContext(ctx); err != nil {
				t.Errorf("with a token: %v", err)
			}
			if err := ParkContext(ctx); err != context.Canceled {
				t.Errorf("without: %v", err)
			}
		}))
		other.Unpark()
		join(t, other)
	}
}

// TestAnEventWakesOneCarrier of the many that sleep; the others go on sleeping.
func TestAnEventWakesOneCarrier(t *testing.T) {
	watch(t)
	r := runtimeOf(t, 8)
	const events = 100
	th := start(t, r, func() {
		for range events {
			Park()
		}
	})
	asleep := func() Stats {
		for {
			if s := r.Stats(); s.Asleep == s.Carriers && (th.Waits() == WaitPark || th.over()) {
				return s
			}
			time.Sleep(20 * time.Microsecond)
		}
	}
	before := asleep()
	for range events {
		th.Unpark()
		asleep()
	}
	join(t, th)
	after := r.Stats()
	// The monitor may come at the same time as the one who was woken.
	if n := after.Wakes - before.Wakes; n < events || n > 2*events {
		t.Errorf("%d carriers were woken for %d events", n, events)
	}
	if n := after.Sleeps - before.Sleeps; n > 2*events {
		t.Errorf("carriers went to sleep %d times for %d events", n, events)
	}
}

// TestIdleCarriersSleepUntilTheNextTimer, and no less: who polled would go to sleep again and
// again. It is the same time for all but one.
func TestIdleCarriersSleepUntilTheNextTimer(t *testing.T) {
	watch(t)
	r := runtimeOf(t, 4)
	const naps = 10
	var began, ended Stats
	join(t, start(t, r, func() {
		Sleep(50 * time.Millisecond) // until all have come to rest
		began = r.Stats()
		for range naps {
			Sleep(10 * time.Millisecond)
		}
		ended = r.Stats()
	}))
	// Each time one carrier comes to run the thread, and another may keep the time meanwhile.
	if n := ended.Sleeps - began.Sleeps; n > 4*naps {
		t.Errorf("carriers went to sleep %d times, while a thread did %d times", n, naps)
	}
}
