package runtime

// How many threads are alive is known exactly, since each has a stack set aside. But
// to count every start and every end in one word of the runtime would cost each an
// atomic operation, and the carriers their cache line. So a carrier keeps the places of
// threads that have ended on it, for those that will be started there:
//
//	places of a carrier = counts.ended - placed
//	Runtime.live        = threads that have not ended + places of all carriers
//
// ended is counted by the carrier only, before it makes an end known: so whoever has
// joined a thread finds its place. placed is guarded by the carrier's lock. A carrier
// gives its places back before it goes to sleep, or when others need them.

// maxPlaces is how many places a carrier keeps.
const maxPlaces = 1024

// places returns how many places c has. The caller holds c.lock.
func (c *carrier) places() int { return int(c.counts.ended.load() - c.placed) }

// givePlaces gives the places of c back, and reports whether no threads, and no places,
// are left then. The caller holds c.lock, and calls checkEnd without it if so.
func (c *carrier) givePlaces() bool {
	n := c.places()
	c.placed += uint64(n)
	return n > 0 && c.rt.live.Add(-int64(n)) == 0
}

// giveSpare is givePlaces after a thread has ended, if c shall not keep its place.
func (c *carrier) giveSpare() bool {
	return (c.places() > maxPlaces || c.rt.closing.Load()) && c.givePlaces()
}

// spawnCounted is spawn of t on c, which the caller has, if c has a place for it.
func (c *carrier) spawnCounted(t *task) bool {
	c.lock.lock()
	if c.places() == 0 || c.rt.closing.Load() {
		c.lock.unlock()
		return false
	}
	c.placed++
	c.fresh.push(t)
	c.lock.unlock()
	return true
}

// releasePlaces gives back the places of c, before it goes to sleep or ends, or for
// somebody else.
func (c *carrier) releasePlaces() {
	c.lock.lock()
	last := c.givePlaces()
	c.lock.unlock()
	if last {
		c.rt.checkEnd()
	}
}

// admit counts t and sees to it that it can have a stack. While r is closing, only
// the runtime's own threads are let in, as long as there are others.
func (r *Runtime) admit(t *task, own bool) error {
	live := r.live.Add(1)
	if r.closing.Load() && (!own || live == 1) {
		r.gone()
		return ErrRuntimeClosed
	}
	if r.portable {
		return nil
	}
	var err error
	if t.extra != nil && t.extra.cache != nil {
		t.th, err = t.extra.cache.get()
	} else if live > r.stable.capacity.Load() {
		for _, c := range *r.all.Load() {
			c.releasePlaces()
		}
		if live = r.live.Load(); live > r.stable.capacity.Load() {
			err = r.stable.grow(live)
		}
	}
	if err != nil {
		r.gone()
	}
	return err
}

// gone gives back the place of a thread that is not started.
func (r *Runtime) gone() {
	if r.live.Add(-1) == 0 {
		r.checkEnd()
	}
}

// living returns how many threads have not ended.
func (r *Runtime) living() int {
	live := r.live.Load()
	for _, c := range *r.all.Load() {
		c.lock.lock()
		live -= int64(c.places())
		c.lock.unlock()
	}
	return int(max(live, 0))
}
