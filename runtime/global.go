package runtime

import "sync/atomic"

// A globalQueue is first in, first out.
type globalQueue struct {
	lock  spin
	head  *Thread
	tail  *Thread
	count atomic.Int64
}

func (q *globalQueue) length() int { return int(q.count.Load()) }

func (q *globalQueue) push(t *Thread) {
	t.next = nil
	q.pushList(t, t, 1)
}

// pushList adds n threads, linked by next from first to last.
func (q *globalQueue) pushList(first, last *Thread, n int) {
	q.lock.lock()
	if q.head == nil {
		q.head = first
	} else {
		q.tail.next = first
	}
	q.tail = last
	q.count.Add(int64(n))
	q.lock.unlock()
}

// take returns the first thread, nil if there is none, and moves up to batch more
// to the ring of c, which the caller has.
func (q *globalQueue) take(c *carrier, batch int) *Thread {
	if q.count.Load() == 0 {
		return nil
	}
	q.lock.lock()
	first := q.pop()
	if n := len(*c.rt.all.Load()); n > 1 {
		batch = min(batch, int(q.count.Load())/n) // leave their share to the others
	}
	for range batch {
		t := q.head
		if t == nil || !c.ring.push(t) {
			break
		}
		q.pop()
	}
	q.lock.unlock()
	return first
}

func (q *globalQueue) pop() *Thread {
	t := q.head
	if t != nil {
		q.head = t.next
		t.next = nil
		q.count.Add(-1)
	}
	return t
}
