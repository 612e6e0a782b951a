package runtime

// An entry is one place in a queue. A waiter has one, of its own, or several,
// when it waits for the first of several things (see Select).
type entry struct {
	waiter     *waiter
	next, prev *entry
	queue      *queue
	code       uint32 // what a claim by this entry tells the waiter: codeGranted, or more
	want       int64  // for the primitive: what it waits for
}

// A queue holds those that wait for one thing, first come first served. Its
// primitive guards it by a spin. The zero value is empty.
type queue struct {
	head, tail *entry
	length     int
}

func (q *queue) empty() bool { return q.head == nil }

// push adds e at the end.
func (q *queue) push(e *entry) {
	e.queue, e.next, e.prev = q, nil, q.tail
	if q.tail == nil {
		q.head = e
	} else {
		q.tail.next = e
	}
	q.tail = e
	q.length++
}

// pushFront adds e at the head.
func (q *queue) pushFront(e *entry) {
	e.queue, e.next, e.prev = q, q.head, nil
	if q.head == nil {
		q.tail = e
	} else {
		q.head.prev = e
	}
	q.head = e
	q.length++
}

// remove takes e out, if it is in q. It reports whether it was.
func (q *queue) remove(e *entry) bool {
	if e.queue != q {
		return false
	}
	if e.prev == nil {
		q.head = e.next
	} else {
		e.prev.next = e.next
	}
	if e.next == nil {
		q.tail = e.prev
	} else {
		e.next.prev = e.prev
	}
	e.queue, e.next, e.prev = nil, nil, nil
	q.length--
	return true
}

// pop takes out, and claims, the first entry whose waiter is still waiting; nil if
// there is none. The caller must wake its waiter, best after it has given the lock
// of the queue back.
func (q *queue) pop() *entry {
	for q.head != nil {
		if e := q.popHead(); e != nil {
			return e
		}
	}
	return nil
}

// popHead is pop for the head of a queue that is not empty: nil if its waiter does not
// wait any more.
func (q *queue) popHead() *entry {
	e := q.head
	if q.head = e.next; q.head == nil {
		q.tail = nil
	} else {
		q.head.prev = nil
	}
	e.queue, e.next = nil, nil
	q.length--
	if !e.waiter.claim(e.code) {
		return nil
	}
	return e
}

// A chain is a list of popped entries, linked by next, see wakeAll.
type chain struct{ first, last *entry }

func (c *chain) add(e *entry) {
	if c.last == nil {
		c.first = e
	} else {
		c.last.next = e
	}
	c.last = e
}

// popAll is pop for all that are in the queue.
func (q *queue) popAll() (c chain) {
	for e := q.pop(); e != nil; e = q.pop() {
		c.add(e)
	}
	return c
}
