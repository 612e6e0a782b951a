package runtime

import (
	"sync/atomic"
	"time"
)

const (
	monitorFast = 500 * time.Microsecond
	monitorSlow = 10 * time.Millisecond
)

// monitor replaces carriers whose thread blocks in Go. It looks only while
// threads run: when all carriers are idle it waits for a thread to be started or
// woken.
func (r *Runtime) monitor() {
	pause := monitorFast
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for {
		select {
		case <-r.ended:
			return
		case <-timer.C:
		}
		blocked, busy := r.look()
		if r.hasWork() {
			r.wake() // a thread that never gives way does not hold up those behind it
		}
		switch {
		case blocked && r.hasWork():
			pause = monitorFast
			r.replace()
		case busy:
			pause = min(2*pause, monitorSlow)
		default:
			if !r.awaitBusy() {
				return
			}
			pause = monitorFast
		}
		timer.Reset(pause)
	}
}

// look counts the carriers whose thread blocks: it has not given way since the
// last look, and waits in Go. It also tells whether anything runs at all.
func (r *Runtime) look() (blocked, busy bool) {
	n := int32(0)
	for _, c := range *r.all.Load() {
		t, turn := loadShared(&c.running), atomic.LoadUint32(&c.turn)
		if t != nil && t == c.seen && turn == c.seenAt && t.ctx.Blocked() {
			n++
		}
		c.seen, c.seenAt = t, turn
		busy = busy || t != nil
	}
	r.blocked.Store(n)
	return n > 0, busy || r.hasWork()
}

// replace starts spare carriers until enough are not blocked.
func (r *Runtime) replace() {
	r.mu.Lock()
	for len(*r.all.Load())-int(r.blocked.Load()) < r.carriers {
		r.addCarrier()
	}
	r.mu.Unlock()
	r.wake()
}

// awaitBusy waits until a thread is made ready; false if the runtime ends.
func (r *Runtime) awaitBusy() bool {
	r.quiet.Store(true)
	defer r.quiet.Store(false)
	if _, busy := r.look(); busy { // what was made ready before it could see us quiet
		return true
	}
	select {
	case <-r.watch:
		return true
	case <-r.ended:
		return false
	}
}
