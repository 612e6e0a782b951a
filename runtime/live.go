package runtime

// How many threads are alive is known exactly, since each has a stack set aside. But
// to count every start and every end in one word of the runtime would cost each an
// atomic operation, and the carriers their cache line. So a carrier keeps the places of
// threads that have ended on it, for those that will be started there: both happen under
// its lock, which they take anyhow.
//
//	Runtime.live = threads that have not ended + carrier.places of all carriers
//
// A carrier gives its places back before it goes to sleep, or when others need them.

// maxPlaces is how many places a carrier keeps.
const maxPlaces = 1024

// spawnCounted is spawn of t on c, which the caller has, if c has a place for it.
func (c *carrier) spawnCounted(t *Thread) bool {
	c.lock.lock()
	if c.places == 0 || c.rt.closing.Load() {
		c.lock.unlock()
		return false
	}
	c.places--
	t.id = c.newID()
	c.fresh.push(t)
	c.lock.unlock()
	return true
}

// uncount gives the place of a thread that has ended to c, or returns how many are to
// be given back. The caller holds c.lock.
func (c *carrier) uncount() int {
	c.places++
	if c.places <= maxPlaces && !c.rt.closing.Load() {
		return 0
	}
	return c.takePlaces()
}

// takePlaces takes all places of c. The caller holds c.lock.
func (c *carrier) takePlaces() int {
	n := c.places
	c.places = 0
	return n
}

// givePlacesBack gives back the places of c, before it goes to sleep or ends.
func (c *carrier) givePlacesBack() {
	c.lock.lock()
	n := c.takePlaces()
	c.lock.unlock()
	if n > 0 {
		c.rt.gone(n)
	}
}

// admit counts t and sees to it that it can have a stack. While r is closing, only
// the runtime's own threads are let in, as long as there are others.
func (r *Runtime) admit(t *Thread, own bool) error {
	live := r.live.Add(1)
	if r.closing.Load() && (!own || live == 1) {
		r.gone(1)
		return ErrRuntimeClosed
	}
	if r.portable {
		return nil
	}
	var err error
	if t.extra != nil && t.extra.cache != nil {
		t.th, err = t.extra.cache.get()
	} else if live > r.stable.capacity.Load() {
		if live -= int64(r.reclaim()); live > r.stable.capacity.Load() {
			err = r.stable.grow(live)
		}
	}
	if err != nil {
		r.gone(1)
	}
	return err
}

// reclaim gives back the places of all carriers, and returns how many these were.
func (r *Runtime) reclaim() int {
	n := 0
	for _, c := range *r.all.Load() {
		c.lock.lock()
		n += c.takePlaces()
		c.lock.unlock()
	}
	if n > 0 {
		r.gone(n)
	}
	return n
}

// gone gives back the places of n threads, that have ended.
func (r *Runtime) gone(n int) {
	if r.live.Add(-int64(n)) == 0 {
		r.checkEnd()
	}
}

// living returns how many threads have not ended.
func (r *Runtime) living() int {
	live := r.live.Load()
	for _, c := range *r.all.Load() {
		c.lock.lock()
		live -= int64(c.places)
		c.lock.unlock()
	}
	return int(max(live, 0))
}
