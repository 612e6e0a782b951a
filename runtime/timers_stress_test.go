package runtime

import (
	"context"
	"math/rand/v2"
	"os"
	"sync/atomic"
	"testing"
	"time"
)

// TestStressOfTimers has 1,000,000 timers of all kinds at a time, with GREENTHREAD_STRESS:
// nine of ten are of AfterFunc, of which a third is stopped and a third reset while they
// come; the others are sleeps, deadlines and tickers. None comes early, twice, or never.
func TestStressOfTimers(t *testing.T) {
	watch(t)
	n, spread := 50_000, 400*time.Millisecond
	switch {
	case raceEnabled, backend().Native && guardsCostMaps(t): // all may be due at once, and each has a stack then
		n = 10_000
	case os.Getenv("GREENTHREAD_STRESS") != "":
		n, spread = 1_000_000, 8*time.Second
	}
	r := runtimeOf(t, 2)
	began := time.Now()
	since := func() int64 { return int64(time.Since(began)) }
	random := func() time.Duration { return rand.N(spread) }

	const others = 10
	var (
		timers      = make([]*Timer, n)
		dues        = make([]int64, n) // since began
		times       = make([]atomic.Int64, n)
		runs        = make([]atomic.Int32, n)
		ran, ticks  atomic.Int64
		early, lost atomic.Int64
		most        int
		threads     []*Thread
		parked      []*Thread
		tickers     []*Ticker
	)
	for i := range timers {
		d := spread/2 + random()
		switch {
		case i%others != 0:
			dues[i] = since() + int64(d)
			timers[i] = r.AfterFunc(d, func() {
				times[i].Store(since())
				runs[i].Add(1)
				ran.Add(1)
			})
		case i/others%3 == 0:
			threads = append(threads, start(t, r, func() {
				due := since() + int64(d)
				Sleep(d)
				if since() < due {
					early.Add(1)
				}
			}))
		case i/others%3 == 1:
			unparked := i/others%2 == 0
			th := start(t, r, func() {
				due := since() + int64(d)
				switch got := ParkTimeout(d); {
				case !got && since() < due:
					early.Add(1)
				case got && !unparked:
					lost.Add(1)
				}
			})
			threads = append(threads, th)
			if unparked {
				parked = append(parked, th)
			}
		default:
			tickers = append(tickers, r.NewTicker(spread/4+d/8))
		}
	}
	most = r.Stats().Timers
	stopped, again := 0, 0
	for i, tm := range timers {
		if tm == nil {
			continue
		}
		switch rand.IntN(3) {
		case 0:
			if tm.Stop() {
				dues[i] = 0
				stopped++
			}
		case 1:
			d := random()
			dues[i] = since() + int64(d)
			if !tm.Reset(d) {
				again++ // it has run, and will once more
			}
		}
	}
	for _, th := range parked {
		th.Unpark()
	}
	for i, tk := range tickers {
		if i%2 == 0 {
			tk.Reset(spread / 8)
		}
		tk.C.Recv()
		ticks.Add(1)
		tk.Stop()
		tk.C.TryRecv()
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, th := range threads {
		if err := th.Join(ctx); err != nil {
			t.Fatal(err)
		}
	}
	afters := n - (n+others-1)/others
	for ran.Load() < int64(afters-stopped+again) && ctx.Err() == nil {
		time.Sleep(time.Millisecond)
	}
	t.Logf("%d timers, at most %d at a time, %d stopped, %d run twice, in %v", n, most, stopped, again, time.Since(began))
	if got := ran.Load(); got != int64(afters-stopped+again) {
		t.Errorf("%d functions have run, want %d of %d, less %d that were stopped, and %d twice", got, afters-stopped+again, afters, stopped, again)
	}
	for i := range timers {
		switch at := times[i].Load(); {
		case timers[i] == nil:
		case dues[i] == 0 && runs[i].Load() != 0:
			t.Fatalf("timer %d was stopped, and runs", i)
		case dues[i] != 0 && at < dues[i]:
			t.Fatalf("timer %d comes %v too early", i, time.Duration(dues[i]-at))
		}
	}
	if early.Load() != 0 || lost.Load() != 0 {
		t.Errorf("%d waits have ended too early, %d have got a token that nobody gave", early.Load(), lost.Load())
	}
	for _, tk := range tickers {
		if _, _, done := tk.C.TryRecv(); done {
			t.Fatal("a tick after Stop")
		}
	}
	if s := r.Stats(); s.Timers != 0 || s.Live != 0 {
		t.Errorf("at the end: %+v", s)
	}
}
