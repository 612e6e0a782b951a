package runtime

import (
	"sync/atomic"
	"time"
)

// monitorPause is how often the monitor looks while threads run.
const monitorPause = 500 * time.Microsecond

// portableLooks is after how many looks a thread that makes no progress counts as
// blocked on the portable backend, where nobody can tell.
const portableLooks = 10

// monitor replaces carriers whose thread blocks in Go, and looks after threads
// and timers that have been left waiting. It looks only while threads run: when all
// carriers are idle or blocked, it waits for a thread to be started or woken.
func (r *Runtime) monitor() {
	timer := time.NewTimer(monitorPause)
	defer timer.Stop()
	for {
		select {
		case <-r.ended:
			return
		case <-timer.C:
		}
		r.coarse.Store(r.now())
		blocked, active := r.look()
		if r.timers.first() <= r.now() {
			r.timers.expire(r.now())
		}
		if r.hasWork() {
			if blocked {
				r.replace()
			}
			r.wake() // a thread that never gives way does not hold up those behind it
		} else if !active && !r.awaitWork(timer) {
			return
		}
		timer.Reset(monitorPause)
	}
}

// look counts the carriers whose thread blocks: it has not given way since the
// last look, and waits in Go. It also tells whether anything runs that does not block.
func (r *Runtime) look() (blocked, active bool) {
	n := int32(0)
	for _, c := range *r.all.Load() {
		t, turn := loadShared(&c.running), atomic.LoadUint32(&c.turn)
		blocks := false
		if t != nil && t == c.seen && turn == c.seenAt {
			c.seenFor++
			blocks = t.native && t.ctx.Blocked() || !t.native && c.seenFor >= portableLooks
		} else {
			c.seenFor = 0
		}
		c.seen, c.seenAt = t, turn
		if blocks {
			n++
		} else {
			active = active || t != nil
		}
	}
	r.blocked.Store(n)
	return n > 0, active
}

// replace starts spare carriers until enough are not blocked.
func (r *Runtime) replace() {
	r.mu.lock()
	for len(*r.all.Load())-int(r.blocked.Load()) < r.carriers {
		r.addCarrier()
	}
	r.mu.unlock()
}

// awaitWork waits until a thread is made ready, or a timer comes for which no
// carrier waits; false if the runtime ends.
func (r *Runtime) awaitWork(timer *time.Timer) bool {
	r.quiet.Store(true)
	defer r.quiet.Store(false)
	if r.hasWork() { // what was made ready before it could see us quiet
		return true
	}
	if when := r.timers.first(); when != noTime && r.keeper.Load() == nil {
		timer.Reset(time.Duration(when - r.now()))
	}
	select {
	case <-r.watch:
	case <-timer.C:
	case <-r.ended:
		return false
	}
	return true
}
