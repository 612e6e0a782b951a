package runtime

import "sync/atomic"

// A deque holds threads that have not started, in the order in which they were
// made. Its carrier runs the newest first: in a tree of threads that is
// depth first, so that few of them are alive at a time, on few stacks, which stay
// warm. Others take the oldest, which in a tree have the most work below them.
//
// It is guarded by the carrier's lock, but for length.
type deque struct {
	buf   []*task // a ring, its length a power of two
	head  uint32  // where the oldest is, modulo that
	count uint32
}

func (d *deque) length() int { return int(atomic.LoadUint32(&d.count)) }

func (d *deque) push(t *task) {
	if int(d.count) == len(d.buf) {
		d.resize(max(64, 2*len(d.buf)))
	}
	d.buf[int(d.head+d.count)&(len(d.buf)-1)] = t
	publish(&d.count, d.count+1)
}

func (d *deque) popNewest() *task {
	if d.count == 0 {
		return nil
	}
	publish(&d.count, d.count-1)
	return d.clear(d.head + d.count)
}

func (d *deque) popOldest() *task {
	if d.count == 0 {
		return nil
	}
	publish(&d.count, d.count-1)
	d.head++
	return d.clear(d.head - 1)
}

func (d *deque) clear(i uint32) *task {
	slot := &d.buf[int(i)&(len(d.buf)-1)]
	t := *slot
	*slot = nil
	if len(d.buf) > 4096 && int(d.count) < len(d.buf)/8 {
		d.resize(len(d.buf) / 4)
	}
	return t
}

func (d *deque) resize(size int) {
	buf := make([]*task, size)
	for i := range d.count {
		buf[i] = d.buf[int(d.head+i)&(len(d.buf)-1)]
	}
	d.buf, d.head = buf, 0
}
