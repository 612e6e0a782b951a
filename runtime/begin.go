package runtime

// A thread starts on an anchor: an idle one, or the one on which another thread
// has just ended, in which case nothing is switched at all.

// begin gives t, which has not started, an anchor. It reports false if there is
// none: t waits for one then.
func (c *carrier) begin(t *task) bool {
	th := t.th
	switch {
	case th != nil: // of its own kind, since Go
	case c.rt.portable:
		th = newPortableAnchor()
	default:
		if th = c.anchor(); th == nil {
			c.starve(t)
			return false
		}
	}
	t.bind(th)
	if c.rt.hook != nil {
		c.rt.hooked(ThreadStart, c, t, NotWaiting)
	}
	return true
}

// bind makes th the anchor of t.
func (t *task) bind(th *thread) {
	storeShared(&t.th, th)
	if s := t.rt.sim; s != nil && s.dying.Load() {
		t.fn = func() {}
	}
	if th.labels != t.labels {
		th.labels = t.labels
	}
	if th.native {
		th.ctx.SetBack(0) // who has run there before is nobody's resumer, see Current
		storeWord(&t.g, th.ctx.Goroutine())
		th.ctx.SetParent(t.parent)
	}
	th.ctx.SetID(t.id)
	th.rename(t.name())
	storeShared(&th.green, t)
}

// unbind takes t, which has ended, off its anchor, but for green, which the caller sees to. It
// returns the anchor, and what finish does.
func (t *task) unbind() (*thread, *task) {
	th := t.th
	if th.event == eventPanic {
		party := t.partyOf()
		party.lock.lock()
		party.failure = th.failure
		party.lock.unlock()
		if s := t.rt.sim; s != nil && (t.extra == nil || !t.extra.carries) {
			s.fail(th.failure)
		}
		th.failure = nil
	}
	if t.rt.hook != nil {
		t.rt.hooked(ThreadEnd, t.carrier, t, NotWaiting)
	}
	if t.rt.profiled {
		t.unprofile()
	}
	if th.locals != nil {
		th.locals = nil
	}
	c := t.carrier
	next := t.finish(c)
	storeShared(&t.th, nil)
	c.reuse(t)
	return th, next
}

// succeed is called on the anchor th when its thread has ended. It reports true if
// th is to run another one now, which it has bound; otherwise th must leave.
func (th *thread) succeed() bool {
	t := th.green
	c := t.carrier
	if !th.succeeds() {
		c.prev, c.then = t, bury
		th.leaveTo(c, nil)
		return false
	}
	_, next := t.unbind()
	if next == nil || next.th != nil {
		storeShared(&th.green, nil)
	}
	if th.native {
		// Its last switch has left a way back, to an anchor that runs somebody else by now.
		// Until leaveTo sets the next one there is none: who asks for Current in what next
		// calls (timers make others ready) must find nobody.
		th.ctx.SetBack(0)
	}
	if next == nil {
		next = c.next()
	}
	for next != nil {
		if next.fn != nil && next.th == nil {
			next.bind(th)
			if c.rt.hook != nil {
				c.rt.hooked(ThreadStart, c, next, NotWaiting)
			}
			c.run(next)
			return true
		}
		if c.take(next) {
			break
		}
		next = c.next()
	}
	if th.native {
		c.worn, c.then = th, shelve
	}
	th.leaveTo(c, next)
	return false
}

// succeeds reports whether another thread may run on th at once.
func (th *thread) succeeds() bool {
	if th.retire || th.green.extra != nil && th.green.extra.cache != nil {
		return false
	}
	return !th.native || !th.ctx.Locked() && !th.ctx.Bound() && !th.ctx.Opened()
}

// leaveTo prepares the last switch of th, to next, or to the loop if that is nil.
func (th *thread) leaveTo(c *carrier, next *task) {
	if next == nil {
		storeShared(&c.running, nil)
	}
	switch {
	case !th.native && next == nil:
		th.portable.wakes = c.resume
	case !th.native:
		th.portable.wakes = next.th.portable.wake
	case next == nil:
		th.ctx.SetBack(c.self)
	default:
		th.ctx.SetBack(next.g)
	}
	c.tell(next)
}

// bury does for t, which has ended in any way and is switched out, what succeed
// does for one that has ended well.
func (t *task) bury(c *carrier) {
	if t.th.native {
		t.th.ctx.Learn()
	}
	th, next := t.unbind()
	storeShared(&th.green, nil)
	if next != nil {
		c.push(next)
	}
	switch {
	case !th.native:
	case t.extra != nil && t.extra.cache != nil:
		th.cache.put(th)
	default:
		c.putAnchor(th)
	}
}
