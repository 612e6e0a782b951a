package runtime

import (
	"runtime"
	"sync/atomic"
	"time"

	"greenthread/asm"
	"greenthread/internal/nap"
)

// monitorPause is how often the monitor looks while threads run. Where all else waits in Go,
// timers of package time come up to a millisecond late: who blocks the only carrier just when the
// monitor has begun to look is replaced after 1.3 ms (median of
// BenchmarkBlockedCarrierIsReplaced, EPYC).
const monitorPause = 500 * time.Microsecond

// handlerLooks is after how many looks, 64 ms, the monitor sees to the signal handlers: a
// system call of 0.2 us or so.
const handlerLooks = 128

// brisk is how often a carrier switches between two looks, each half a microsecond, if no other
// need help it: what it does is over sooner than it is moved.
const brisk = 1000

// portableLooks is after how many looks a thread that makes no progress counts as
// blocked on the portable backend, where nobody can tell.
const portableLooks = 10

// monitor replaces carriers whose thread blocks in Go, and looks after threads
// and timers that have been left waiting. It looks only while threads run: when all
// carriers are idle or blocked, it waits for a thread to be started or woken.
func (r *Runtime) monitor() {
	timer := time.NewTimer(monitorPause)
	defer timer.Stop()
	for looks := 1; r.pause(timer); looks++ {
		if looks%handlerLooks == 0 && !r.portable {
			asm.KeepHandlers()
		}
		r.coarse.Store(r.now())
		blocked, active, slow, waits := r.look()
		if waits && r.hasWork() {
			blocked = r.lookAgain()
		}
		if r.timers.first() <= r.now() {
			r.timers.expire(r.now())
		}
		if r.hasWork() {
			if blocked {
				r.replace()
			}
			if slow || r.global.length() > 0 {
				r.wake() // a thread that never gives way does not hold up those behind it
			}
		} else if (!active || r.bubbled) && !r.awaitWork(timer) {
			return
		}
	}
}

// pause waits until the monitor shall look again; false if the runtime ends. In a bubble, time
// must not go on while threads are ready, and does not while anything else there runs, whatever
// blocks the carriers. So the pause is one of the kernel's, and who sees that nothing is ready
// waits for a word, which each thread that goes on has for it.
func (r *Runtime) pause(timer *time.Timer) bool {
	if !r.bubbled {
		timer.Reset(monitorPause)
		select {
		case <-r.ended:
			return false
		case <-timer.C:
			return true
		}
	}
	for range bubbleYields {
		if !r.hasWork() {
			return !r.stopped()
		}
		runtime.Gosched()
	}
	nap.For(bubblePause)
	return !r.stopped()
}

const (
	// bubbleYields is how often others are let run before carriers in a bubble seem to be blocked.
	bubbleYields = 64
	// bubblePause is for how long the monitor then waits for each of portableLooks.
	bubblePause = monitorPause / 5
)

// look counts the carriers whose thread blocks: it has not given way since the
// last look, and waits in Go. It also tells whether anything runs that does not block,
// whether a carrier is slow to run what it has: the others then help it, lull or not; and
// whether a thread waits in Go that has given way since the last look.
func (r *Runtime) look() (blocked, active, slow, waits bool) {
	n := int32(0)
	stuck := false
	for _, c := range *r.all.Load() {
		c.account()
		t, turn := loadShared(&c.running), atomic.LoadUint32(&c.turn)
		if c.waiting() > 0 {
			slow = slow || turn-c.seenAt < brisk
			stuck = stuck || turn == c.seenAt
		}
		if hauled := atomic.LoadInt64(&c.hauled); hauled != 0 && hauled != c.credited && r.now()-hauled >= longHaul {
			c.credited = hauled
			r.haulHelped(true) // before it is over, for others to be woken
		}
		inGo, blocks := t.waitsInGo(), false
		if t != nil && t == c.seen && turn == c.seenAt {
			c.seenFor++
			blocks = inGo || !t.native && c.seenFor >= portableLooks
		} else {
			c.seenFor = 0
			waits = waits || inGo
		}
		blocks = blocks || t != nil && c.away.Load() > 0
		c.seen, c.seenAt, c.blocks = t, turn, blocks
		if blocks {
			n++
		} else {
			active = active || t != nil
		}
	}
	r.blocked.Store(n)
	if r.stuck.Load() != stuck {
		r.stuck.Store(stuck)
	}
	return n > 0, active, slow, waits
}

// waitsInGo reports whether t is native and waits in Go, or is in a system call; t may be nil.
func (t *thread) waitsInGo() bool { return t != nil && t.native && t.ctx.Blocked() }

// secondLook is how long a thread must wait in Go, while others are ready, to count as blocked.
const secondLook = 100 * time.Microsecond

// lookAgain is look, soon afterwards, at the threads that waited in Go then: others shall not
// have to wait for the next pause.
func (r *Runtime) lookAgain() (blocked bool) {
	nap.For(secondLook)
	n := int32(0)
	for _, c := range *r.all.Load() {
		t := loadShared(&c.running)
		if t == c.seen && atomic.LoadUint32(&c.turn) == c.seenAt && t.waitsInGo() {
			c.blocks = true
		}
		if c.blocks {
			n++
		}
	}
	r.blocked.Store(n)
	return n > 0
}

// replace starts spare carriers until enough are not blocked. A blocked one that goes
// on then finds itself replaced, and gives way at the next opportunity.
func (r *Runtime) replace() {
	r.mu.lock()
	defer r.mu.unlock()
	if len(*r.all.Load())-int(r.blocked.Load()) >= r.carriers {
		return
	}
	for _, c := range *r.all.Load() {
		if c.blocks && !c.beReplaced() {
			return
		}
	}
	for len(*r.all.Load())-int(r.blocked.Load()) < r.carriers {
		r.addCarrier()
	}
}

// beReplaced prepares c, whose thread blocks, for thieves. It reports false if that does
// not block any more.
func (c *carrier) beReplaced() bool {
	if atomic.SwapUint32(&c.ring.alone, 0) != 0 {
		// Whoever is blocked after this swap sees what it has done when it goes on.
		if !loadShared(&c.running).waitsInGo() {
			publish(&c.ring.alone, 1)
			return false
		}
	}
	publish(&c.replaced, 1)
	return true
}

// retireIdle wakes an idle carrier, which then retires, if there are more than shall be: one that
// seemed to be blocked may have gone to sleep instead. It reports whether it did.
func (r *Runtime) retireIdle() bool {
	r.mu.lock()
	var c *carrier
	if r.surplus() {
		c = r.popIdle()
	}
	r.mu.unlock()
	if c == nil {
		return false
	}
	c.rouse()
	return true
}

// leftAlone tells the only carrier, if there is only one, that it has no thieves. The
// caller holds r.mu.
func (r *Runtime) leftAlone() {
	all := *r.all.Load()
	if len(all) == 1 && r.carriers == 1 && !r.portable && !r.nested.Load() {
		publish(&all[0].ring.alone, 1)
	}
}

// nests is called in a coroutine that a thread of r has resumed. The thread seems blocked
// then, though it can be anywhere in the scheduler: no carrier may be alone any more.
func (r *Runtime) nests() {
	if r.nested.Load() {
		return
	}
	r.mu.lock()
	r.nested.Store(true)
	for _, c := range *r.all.Load() {
		publish(&c.ring.alone, 0)
	}
	r.mu.unlock()
}

// awaitWork waits until a thread is made ready, or a timer comes for which no
// carrier waits; false if the runtime ends. Meanwhile it ends anchors that a burst has
// left behind.
func (r *Runtime) awaitWork(timer *time.Timer) bool {
	r.quiet.Store(true)
	defer r.quiet.Store(false)
	// What was made ready before it could see us quiet. The second look is for one
	// whose store was still on its way at the first.
	for range 2 {
		if r.hasWork() {
			return true
		}
		if r.bubbled {
			glanceAround()
		} else {
			time.Sleep(50 * time.Microsecond)
		}
	}
	if r.look(); r.retireIdle() {
		return true
	}
	becameQuiet()
	for {
		timer.Stop()
		excess := r.stable.excess(r)
		if excess > 0 {
			timer.Reset(trimPause)
		}
		timed := false
		if when := r.timers.first(); when != noTime && r.keeper.Load() == nil {
			timed = true
			timer.Reset(min(time.Duration(when-r.now()), trimPause))
		}
		select {
		case <-r.watch:
			return true
		case <-r.ended:
			return false
		case <-timer.C:
			if timed {
				return true
			}
			if excess > keepIdle/8 {
				excess /= 2
			} else {
				excess = 0
			}
			r.stable.trim(r, keepIdle+excess)
		}
	}
}

const (
	// keepIdle is how many anchors and stacks a runtime keeps for threads that may
	// come; what is more is halved after each trimPause in which nothing runs, and
	// given up when little is left of it.
	keepIdle  = 1024
	trimPause = time.Second
)
