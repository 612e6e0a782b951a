package runtime

import (
	"context"
	"time"
)

// A thread holds at most one token, in one word:
//
//	           Unpark               Park: take
//	none ─────────────────► token ─────────────► none
//	none ──── Park, once it is switched out ───► parked ──── Unpark, then ready ────► none
//	none ──── Park with a limit ─────► limited ──── Unpark that loses to the limit ──► token
//
// While it is limited, the word also holds the number of the wait, so that an
// Unpark that comes too late for that wait cannot end another one.
const (
	tokenNone uint64 = iota
	tokenHere
	tokenParked
	tokenLimited

	tokenMask     = 3
	tokenSeqShift = 32
)

// Park waits for Unpark: a token that was given before is taken, and Park returns
// at once. It never returns without one. It panics where Current is nil, since there
// is no token. A thread that is locked to its kernel thread waits with its carrier.
func Park() {
	point()
	t, ctx := own()
	if t == nil {
		parkSlow()
		return
	}
	if t.token.Load() == tokenHere && t.token.CompareAndSwap(tokenHere, tokenNone) {
		return
	}
	c, then := t.rest(nil, nil, WaitPark)
	c.leave(t, ctx, then, c.next())
}

// parkSlow is Park for threads in coroutines, for those that are locked to their kernel
// threads, and for the portable backend.
func parkSlow() {
	t := mustCurrent("Park")
	if t.token.CompareAndSwap(tokenHere, tokenNone) {
		return
	}
	if ctx, ok := t.switches(); ok {
		c, then := t.rest(nil, nil, WaitPark)
		c.leave(t, ctx, then, c.next())
		return
	}
	t.mustSwitch()
	w := t.asWaiter()
	w.lieDown(limit{})
	if t.commitPark() {
		w.bed.sleep()
	}
	w.asleep = false
}

// commitPark parks t, once that can be undone from elsewhere. It reports false if
// there is a token, which it takes.
func (t *Thread) commitPark() bool {
	if t.token.CompareAndSwap(tokenNone, tokenParked) {
		return true
	}
	t.token.Store(tokenNone)
	return false
}

// ParkTimeout is Park for at most d; it reports whether there was a token, which is
// taken then. With a d of 0 or less it only looks for one. It panics where Park does.
func ParkTimeout(d time.Duration) bool {
	point()
	t := mustCurrent("ParkTimeout")
	if d <= 0 {
		return t.token.CompareAndSwap(tokenHere, tokenNone)
	}
	return t.parkFor(limit{timed: true, after: d}) == codeGranted
}

// ParkContext is Park until ctx ends: it returns nil if it took a token, also one
// that is there when ctx has ended, and else the cause of ctx. It panics where Park
// does.
func ParkContext(ctx context.Context) error {
	point()
	if mustCurrent("ParkContext").parkFor(limit{ctx: ctx}) == codeGranted {
		return nil
	}
	return context.Cause(ctx)
}

// parkFor parks t with a limit. It returns codeGranted if it took a token.
func (t *Thread) parkFor(limit limit) uint32 {
	if limit.never() {
		Park()
		return codeGranted
	}
	w := t.asWaiter()
	w.begin()
	limited := w.state.Load()>>waitSeqShift<<tokenSeqShift | tokenLimited
	if !t.token.CompareAndSwap(tokenNone, limited) {
		t.token.Store(tokenNone)
		return codeGranted
	}
	code := w.waitFor(limit, WaitPark)
	if t.token.CompareAndSwap(limited, tokenNone) || code == codeGranted {
		return code
	}
	t.token.Store(tokenNone) // it came in the last moment
	return codeGranted
}

// Unpark gives t a token, of which it holds at most one: its Park returns. It may
// be called from anywhere, and does nothing after the end of t.
func (t *Thread) Unpark() {
	point()
	for {
		old := t.token.Load()
		switch old & tokenMask {
		case tokenHere:
			return
		case tokenNone:
			if t.token.CompareAndSwap(old, tokenHere) {
				return
			}
		case tokenParked:
			if t.token.CompareAndSwap(old, tokenNone) {
				if w := &loadShared(&t.th).waiter; w.asleep {
					w.bed.wake()
				} else {
					t.rt.ready(t)
				}
				return
			}
		case tokenLimited:
			// Its waiter may serve another thread by now, in other waits.
			if th := loadShared(&t.th); th != nil && th.waiter.claimSeq(old>>tokenSeqShift, codeGranted) {
				th.waiter.wake()
				return
			}
			if t.token.CompareAndSwap(old, tokenHere) {
				return
			}
		}
	}
}

// Sleep waits for d, at least; a token of Unpark is left for the next Park. With a d
// of 0 or less it is Yield. Where Current is nil it is time.Sleep.
func Sleep(d time.Duration) {
	t := Current()
	switch {
	case t == nil:
		time.Sleep(d)
	case d <= 0:
		Yield()
	default:
		w := t.asWaiter()
		w.begin()
		w.waitFor(limit{timed: true, after: d}, WaitSleep)
	}
}

// SleepContext is Sleep until ctx ends: it returns nil after d, else the cause of
// ctx. It may be called from anywhere.
func SleepContext(ctx context.Context, d time.Duration) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if d <= 0 {
		Yield()
		return nil
	}
	w := enlist()
	defer w.discharge()
	w.begin()
	if w.waitFor(limit{ctx: ctx, timed: true, after: d}, WaitSleep) == codeCanceled {
		return context.Cause(ctx)
	}
	return nil
}

func mustCurrent(who string) *Thread {
	t := Current()
	if t == nil {
		panic("greenthread: " + who + " is called outside of a green thread")
	}
	return t
}
