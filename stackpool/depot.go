package stackpool

// depot is the cache of a pool: stacks that were put back, the latest on top, so
// that Get finds the one whose memory is still in the processor's caches. The
// pool's lock guards it.
//
// Its room is reserved when a slot is cut, for all stacks that the pool has, so
// that push never allocates and so never fails.
//
// This is the seam for what may come in front of it: a magazine per carrier would
// fill itself with pop and empty itself with push, and the order (oldest first,
// lowest address first) is decided here and nowhere else.
type depot struct {
	stacks []*Stack
}

// len returns how many stacks are cached.
func (d *depot) len() int { return len(d.stacks) }

// push puts a stack on top.
func (d *depot) push(s *Stack) { d.stacks = append(d.stacks, s) }

// pop takes the top one, nil if there is none. The slot above the new top keeps
// its pointer: descriptors are held by their arenas anyway.
func (d *depot) pop() *Stack {
	n := len(d.stacks) - 1
	if n < 0 {
		return nil
	}
	s := d.stacks[n]
	d.stacks = d.stacks[:n]
	return s
}

// reserve makes room for so many stacks in all.
func (d *depot) reserve(total int) {
	if total <= cap(d.stacks) {
		return
	}
	room := make([]*Stack, len(d.stacks), max(64, total+total/2))
	copy(room, d.stacks)
	d.stacks = room
}

// takeOldest removes all but the newest keep stacks and appends them to into,
// oldest first.
func (d *depot) takeOldest(keep int, into []*Stack) []*Stack {
	n := len(d.stacks) - keep
	if n <= 0 {
		return into
	}
	into = append(into, d.stacks[:n]...)
	copy(d.stacks, d.stacks[n:])
	clear(d.stacks[keep:cap(d.stacks)]) // so that no descriptor outlives its arena here
	d.stacks = d.stacks[:keep]
	return into
}

// putOldest puts stacks under all others, in the order that takeOldest gave.
func (d *depot) putOldest(s []*Stack) {
	if len(s) == 0 {
		return
	}
	n := len(d.stacks)
	d.stacks = append(d.stacks, s...)
	copy(d.stacks[len(s):], d.stacks[:n])
	copy(d.stacks, s)
}
