package runtime

import (
	"fmt"
	"sync/atomic"
	"time"

	"greenthread/asm"
)

// A Ticker sends the time to C again and again. C holds one tick; those that come while
// it is full are left out, so a slow receiver finds the last but a few. C is not closed by Stop.
type Ticker struct {
	C *Chan[time.Time]

	lock   spin // guards what follows; whoever has it waits for nothing
	timer  timer
	period int64
	on     bool

	birth   birth
	due     atomic.Bool // a thread is about to send
	sending spin        // held by the one that does
}

// NewTicker returns a ticker of r that ticks each time that d has passed, until it is stopped.
// It panics if d is not positive. A tick costs the start of a thread, which sends it. One
// that nobody stops ticks until the last thread has ended after [Runtime.Close], and is not
// collected before.
//
//go:noinline
func (r *Runtime) NewTicker(d time.Duration) *Ticker { return r.newTicker(d, asm.CallerPC()) }

// NewTicker is [Runtime.NewTicker] of the runtime of the calling thread, elsewhere of
// the default one. It panics if that cannot be started.
//
//go:noinline
func NewTicker(d time.Duration) *Ticker {
	pc := asm.CallerPC()
	return mustHere("NewTicker").newTicker(d, pc)
}

func (r *Runtime) newTicker(d time.Duration, pc uintptr) *Ticker {
	t := &Ticker{C: NewChan[time.Time](1)}
	t.birth = r.birthOf(t.send, pc)
	t.birth.own = true
	t.timer.start = t.tick
	if r.sim != nil {
		r.sim.tickers[&t.timer] = t
	}
	t.reset(d, pc)
	return t
}

// Stop ends the ticking. A tick that is in C stays there; none comes after Stop has returned.
func (t *Ticker) Stop() {
	t.lock.lock()
	t.on = false
	t.birth.rt.timers.remove(&t.timer)
	e := t.birth.popLast()
	t.lock.unlock()
	t.sending.lock() // a tick that is being sent comes before we return
	t.sending.unlock()
	t.birth.rt.unexpect(e)
}

// Reset makes t tick each time that d has passed from now, also after Stop. It panics if d
// is not positive.
//
//go:noinline
func (t *Ticker) Reset(d time.Duration) { t.reset(d, asm.CallerPC()) }

// reset is Reset, or NewTicker, called at pc.
func (t *Ticker) reset(d time.Duration, pc uintptr) {
	if d <= 0 {
		panic(fmt.Sprintf("greenthread: a ticker of %v, it must be more than 0", d))
	}
	r := t.birth.rt
	e := r.expect(pc)
	t.lock.lock()
	r.timers.remove(&t.timer)
	if !t.on {
		t.birth.push(e)
		e = nil
	}
	t.on, t.period = true, int64(d)
	t.timer.when = r.after(d)
	r.addTimer(&t.timer)
	t.lock.unlock()
	r.unexpect(e) // it is there already
}

// tick is called by whoever sees that the time has come. That may be a thread on its way to
// sleep, with the lock of any channel, C included: so another thread sends, and nobody has
// t.lock who wants the one of C.
func (t *Ticker) tick() {
	r := t.birth.rt
	t.lock.lock()
	due := t.on && !r.timers.has(&t.timer) // else it was stopped or reset meanwhile
	if due {
		late := max(r.now()-t.timer.when, 0)
		t.timer.when += t.period * (1 + late/t.period)
		if t.timer.when < 0 {
			t.timer.when = noTime - 1
		}
		r.addTimer(&t.timer)
	}
	t.lock.unlock()
	if due && t.due.CompareAndSwap(false, true) {
		t.birth.begin()
	}
}

// send is what the thread of a tick does.
func (t *Ticker) send() {
	t.due.Store(false)
	t.sending.lock()
	defer t.sending.unlock()
	t.lock.lock()
	on := t.on
	t.lock.unlock()
	if on {
		t.C.trySend(Now())
	}
}
