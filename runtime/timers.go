package runtime

import "sync/atomic"

// A timer ends a wait, or starts a thread, at a point in time. Its fields belong
// to the heap that it is in.
type timer struct {
	when  int64 // by Runtime.now
	at    int   // its place in the heap, and 1 more; 0 when it is in none
	w     *waiter
	seq   uint64 // the number of the wait
	start func() // instead of w: called by whoever sees that the time has come; it must not wait
}

// A timerHeap holds the timers of a runtime, the next one first: a heap in which
// each has four children, which is flatter than a binary one.
//
// A timer that has come is taken out, and has claimed its wait, before the lock is
// given back: so one who has stopped a timer knows that it will not come any more.
type timerHeap struct {
	next atomic.Int64 // when the first one comes, noTime if there is none
	lock spin
	heap []*timer
}

func (h *timerHeap) init() { h.next.Store(noTime) }

// first returns when the first timer comes.
func (h *timerHeap) first() int64 { return h.next.Load() }

func (h *timerHeap) pending() bool { return h.next.Load() != noTime }

// length returns how many timers there are.
func (h *timerHeap) length() int {
	h.lock.lock()
	defer h.lock.unlock()
	return len(h.heap)
}

// add puts t in. It reports whether it is the first now.
func (h *timerHeap) add(t *timer) (first bool) {
	h.lock.lock()
	h.heap = append(h.heap, t)
	h.up(len(h.heap) - 1)
	first = t.at == 1
	if first {
		h.next.Store(t.when)
	}
	h.lock.unlock()
	return first
}

// remove takes t out; it reports false if it was not in.
func (h *timerHeap) remove(t *timer) bool {
	h.lock.lock()
	defer h.lock.unlock()
	if t.at == 0 {
		return false
	}
	h.take(t.at - 1)
	return true
}

// has reports whether t is in.
func (h *timerHeap) has(t *timer) bool {
	h.lock.lock()
	defer h.lock.unlock()
	return t.at != 0
}

// expire ends the waits whose time has come.
func (h *timerHeap) expire(now int64) {
	for h.next.Load() <= now {
		var due [16]*timer
		n := 0
		h.lock.lock()
		for n < len(due) && len(h.heap) > 0 && h.heap[0].when <= now {
			t := h.heap[0]
			h.take(0)
			if t.w == nil || t.w.claimSeq(t.seq, codeTimeout) {
				due[n] = t
				n++
			}
		}
		h.lock.unlock()
		for _, t := range due[:n] {
			if t.w != nil {
				t.w.wake()
			} else {
				t.start()
			}
		}
	}
}

// take takes the timer at i out. The caller holds the lock.
func (h *timerHeap) take(i int) {
	last := len(h.heap) - 1
	h.heap[i].at = 0
	if i != last {
		h.heap[i] = h.heap[last]
		h.heap[i].at = i + 1
	}
	h.heap[last] = nil
	h.heap = h.heap[:last]
	if i != last {
		h.down(h.up(i))
	}
	if cap(h.heap) > 1024 && len(h.heap) < cap(h.heap)/4 {
		h.heap = append(make([]*timer, 0, cap(h.heap)/2), h.heap...)
	}
	when := noTime
	if len(h.heap) > 0 {
		when = h.heap[0].when
	}
	if h.next.Load() != when {
		h.next.Store(when)
	}
}

const timerChildren = 4

// up moves the timer at i towards the first, and returns where it has come to.
func (h *timerHeap) up(i int) int {
	t := h.heap[i]
	for i > 0 {
		parent := (i - 1) / timerChildren
		if h.heap[parent].when <= t.when {
			break
		}
		h.heap[i] = h.heap[parent]
		h.heap[i].at = i + 1
		i = parent
	}
	h.heap[i] = t
	t.at = i + 1
	return i
}

// down moves the timer at i away from the first.
func (h *timerHeap) down(i int) {
	t := h.heap[i]
	for {
		first := i*timerChildren + 1
		if first >= len(h.heap) {
			break
		}
		least := first
		for child := first + 1; child < min(first+timerChildren, len(h.heap)); child++ {
			if h.heap[child].when < h.heap[least].when {
				least = child
			}
		}
		if h.heap[least].when >= t.when {
			break
		}
		h.heap[i] = h.heap[least]
		h.heap[i].at = i + 1
		i = least
	}
	h.heap[i] = t
	t.at = i + 1
}
