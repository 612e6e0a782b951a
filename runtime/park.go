package runtime

import (
	"context"
	"time"
	"unsafe"
)

// A thread holds at most one token, in one word:
//
//	           Unpark               Park: take
//	none ─────────────────► token ─────────────► none
//	none ──── Park, once it is switched out ───► parked ──── Unpark, then ready ────► none
//	none ──── Park with a limit ─────► limited ──── Unpark that loses to the limit ──► token
//
// While it is limited, the word also holds the number of the wait, so that an
// Unpark that comes too late for that wait cannot end another one; and always a part of the
// thread's number, so that one that comes too late for the thread does nothing to another
// that has its task now.
//
//	number of the wait: 32 bits | of the thread: 30 bits | none, token, parked, limited
const (
	tokenNone uint64 = iota
	tokenHere
	tokenParked
	tokenLimited

	tokenMask     = 3
	tokenGenShift = 2
	tokenGenMask  = 1<<30 - 1
	tokenSeqShift = 32
)

// tokenOf returns the word without a token of the thread with that number.
func tokenOf(id uint64) uint64 { return id & tokenGenMask << tokenGenShift }

// setToken makes that the word of t, which has not started. Whoever still wakes the thread that
// had t before finds another word than it expects.
func (t *task) setToken(word uint64) { publish64((*int64)(unsafe.Pointer(&t.token)), int64(word)) }

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
	if t.takeToken() {
		return
	}
	c := t.carrier
	t.rests(c, WaitPark)
	c.leave(t, ctx, commit, c.next())
}

// parkSlow is Park for threads in coroutines, for those that are locked to their kernel
// threads, and for the portable backend.
func parkSlow() {
	t := mustCurrent("Park")
	if t.takeToken() {
		return
	}
	if ctx, ok := t.switches(); ok {
		c := t.carrier
		t.rests(c, WaitPark)
		c.leave(t, ctx, commit, c.next())
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
func (t *task) commitPark() bool {
	none := t.token.Load() &^ tokenMask
	if t.token.CompareAndSwap(none, none|tokenParked) {
		return true
	}
	t.token.Store(none)
	return false
}

// ParkTimeout is Park for at most d; it reports whether there was a token, which is
// taken then. With a d of 0 or less it only looks for one. It panics where Park does.
func ParkTimeout(d time.Duration) bool {
	point()
	t := mustCurrent("ParkTimeout")
	if d <= 0 {
		return t.takeToken()
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
func (t *task) parkFor(limit limit) uint32 {
	if limit.never() {
		Park()
		return codeGranted
	}
	w := t.asWaiter()
	w.begin()
	none := t.token.Load() &^ tokenMask
	limited := none | w.state.Load()>>waitSeqShift<<tokenSeqShift | tokenLimited
	if !t.token.CompareAndSwap(none, limited) {
		t.token.Store(none)
		return codeGranted
	}
	code := w.waitFor(limit, WaitPark)
	if t.token.CompareAndSwap(limited, none) || code == codeGranted {
		return code
	}
	t.token.Store(none) // it came in the last moment
	return codeGranted
}

// takeToken takes the token, and reports whether there was one. It is for t itself.
func (t *task) takeToken() bool {
	word := t.token.Load()
	return word&tokenMask == tokenHere && t.token.CompareAndSwap(word, word&^tokenMask)
}

// Unpark gives t a token, of which it holds at most one: its Park returns. It may
// be called from anywhere, and does nothing after the end of t.
func (t *Thread) Unpark() {
	point()
	k := t.task
	for {
		word := k.token.Load()
		if t.over() { // else the word was t's, and no other thread's is the same
			return
		}
		switch word & tokenMask {
		case tokenHere:
			return
		case tokenNone:
			if k.token.CompareAndSwap(word, word|tokenHere) {
				return
			}
		case tokenParked:
			if k.token.CompareAndSwap(word, word&^tokenMask) {
				if w := &loadShared(&k.th).waiter; w.asleep {
					w.bed.wake()
				} else {
					k.rt.ready(k)
				}
				return
			}
		case tokenLimited:
			// With the word still the same, th is where that wait was begun. Its waiter may
			// be in another by now, with another number.
			th := loadShared(&k.th)
			if th == nil || k.token.Load() != word {
				continue
			}
			if th.waiter.claimSeq(word>>tokenSeqShift, codeGranted) {
				th.waiter.wake()
				return
			}
			if k.token.CompareAndSwap(word, uint64(uint32(word))&^tokenMask|tokenHere) {
				return
			}
		}
	}
}

// Sleep waits for d, at least; a token of Unpark is left for the next Park. With a d
// of 0 or less it is Yield. Where Current is nil it is time.Sleep.
func Sleep(d time.Duration) {
	t := caller()
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

func mustCurrent(who string) *task {
	t := caller()
	if t == nil {
		panic("greenthread: " + who + " is called outside of a green thread")
	}
	return t
}
