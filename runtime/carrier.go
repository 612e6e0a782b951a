package runtime

import (
	"sync/atomic"
	"unsafe"

	"greenthread/asm"
	"greenthread/futex"
)

// A carrier is a goroutine that runs threads. A thread that gives way switches to
// the next one directly; only with none the carrier itself goes on, in loop. What
// runs on a carrier has it to itself: its fields are not shared, unless it is said.
//
// Whatever is switched to, a thread or the carrier's loop, first calls settle:
// it does with the thread that was running before what could not be done before
// that was switched out.
type carrier struct {
	rt     *Runtime
	number int
	self   asm.Goroutine // of the loop

	turn    uint32 // counts threads that were resumed here; others look at it
	then    action // what to do with prev
	prev    *task
	worn    *thread // for the action shelve
	held    *spin   // for the action release
	running *thread // what the monitor looks at, see look

	unused      []*task // tasks to be used again: the first unuseds of them
	unuseds     int
	newThreads  int            // how many of threads are still to be used
	threads     *[batch]Thread // see newThread
	ids, lastID uint64         // numbers for new threads: ids+1 to lastID
	streak      uint32         // how often runnext was preferred in a row
	skipped     uint32         // wakes left out for one ready thread ...
	skippedMany uint32         // ... and for several, see offer
	hauled      int64          // when it has stolen threads that it still runs; 0 if it does not
	poor        bool           // its last haul was not worth it
	counts      counts

	seen     *thread // the monitor's: running and turn when it looked last
	seenAt   uint32
	seenFor  uint32 // for how many looks
	blocks   bool   // what came of it
	credited int64  // the haul, by its time, that the monitor knows to have helped

	away     atomic.Int32 // threads in Block
	replaced uint32       // 1: it was blocked, and another one runs in its place

	runnext atomic.Pointer[task] // goes first; thieves may take it
	ring    ring

	lock   spin // guards what follows, which thieves take from
	fresh  deque
	placed uint64    // how many places of ended threads were used, see live.go
	later  list      // those that have given way to threads in the global queue
	idle   []*thread // anchors, the warmest last

	parker futex.Parker  // native: where the loop sleeps
	wakeup chan struct{} // portable: the same
	resume chan struct{} // portable: the loop is switched to
}

// An action is what to do with a thread once it is switched out.
type action uint8

const (
	nothing    action = iota
	requeue           // it has only given way
	commit            // it parks, unless there is a token
	release           // it waits in a queue, whose lock is still locked
	commitWait        // it waits in the way of waiter.waitFor
	bury              // it has ended
	shelve            // it has ended, and only its anchor, worn, is left
)

// addCarrier starts one more carrier. The caller holds r.mu.
func (r *Runtime) addCarrier() {
	old := *r.all.Load()
	c := &carrier{rt: r, number: r.numbers}
	if r.portable {
		c.wakeup, c.resume = make(chan struct{}, 1), make(chan struct{}, 1)
	}
	r.numbers++
	all := append(append(make([]*carrier, 0, len(old)+1), old...), c)
	r.all.Store(&all)
	go c.loop()
}

// loop runs threads until the runtime ends, or the carrier is one too many.
func (c *carrier) loop() {
	c.hooked(CarrierStart)
	defer c.ended()
	if err := c.settleDown(); err != nil {
		c.rt.misplaced.CompareAndSwap(nil, &err)
		c.rt.unpinned.Add(1)
	}
	if !c.rt.portable {
		c.self = asm.Self()
	}
	for {
		if atomic.LoadUint32(&c.replaced) != 0 && c.stepBack() {
			return
		}
		t := c.find()
		if t == nil {
			if !c.sleep() {
				return
			}
			continue
		}
		if c.take(t) {
			c.hop(nil, t)
			c.settle()
			storeShared(&c.running, nil)
		}
	}
}

// ended is the end of loop. The anchor of the last thread was given back after the
// runtime had ended its idle ones.
func (c *carrier) ended() {
	if r := c.rt; r.stopped() && !r.portable {
		r.stable.trim(r, 0)
	}
	c.forget()
	c.hooked(CarrierStop)
}

// forget drops what c, which has ended, still refers to: tasks that ran on it lead to c.
func (c *carrier) forget() {
	c.unused, c.unuseds, c.threads, c.newThreads, c.prev = nil, 0, nil, 0, nil
	for i := range c.ring.slots {
		storeShared(&c.ring.slots[i], nil)
	}
}

// take makes t what runs on c; a switch to it must follow. It reports false if t
// could not be started for want of a stack: t has gone back to a queue.
func (c *carrier) take(t *task) bool {
	if t.fn != nil && !c.begin(t) {
		return false
	}
	c.run(t)
	return true
}

// run notes that t runs on c from here on.
func (c *carrier) run(t *task) {
	if t.carrier != c { // to look is faster than to store a pointer
		t.carrier = c
	}
	t.setState(StateRunning)
	publish(&c.turn, c.turn+1)
	if loadShared(&c.running) != t.th {
		storeShared(&c.running, t.th)
	}
}

// leave switches from t, which the caller is and is in ctx, to next, or to the loop if
// that is nil. When it returns, the caller may be on another carrier.
func (c *carrier) leave(t *task, ctx *asm.Context, then action, next *task) {
	self := hide(t)
	c.prev, c.then = t, then
	if ctx != nil {
		storeWord(&t.g, ctx.Goroutine()) // not always its anchor's: it may be in a coroutine
		ctx.Mend()
	}
	if next != nil && next.fn == nil {
		c.run(next)
	} else {
		next = c.takeAny(next)
	}
	if raceEnabled || c.rt.portable {
		c.hop(t, next)
	} else { // the same, without a call: see rests
		g := c.self
		if next != nil {
			g = next.g
		}
		g.Hop()
	}
	c = self.task().carrier
	c.settle()
	if r := c.rt; r.attended {
		r.resumed()
	}
}

// resumed is for runtimes that are attended: a thread is about to go on.
func (r *Runtime) resumed() {
	if r.sim != nil {
		r.sim.resumed()
		return
	}
	r.stir() // if it blocks, somebody must see to what was put into the ring meanwhile, or stolen
}

// A hidden is a task that somebody else keeps reachable: as a pointer on the stack of each
// thread that is suspended, it would cost the garbage collector a cache miss.
type hidden uintptr

func hide(t *task) hidden { return hidden(unsafe.Pointer(t)) }

func (h hidden) task() *task { return *(**task)(unsafe.Pointer(&h)) }

// takeAny is take of t, or, if that has no stack to start on, of the next that can.
func (c *carrier) takeAny(t *task) *task {
	for t != nil && !c.take(t) {
		t = c.next()
	}
	return t
}

// hop switches between threads; nil is the loop.
func (c *carrier) hop(from, to *task) {
	if c.rt.portable {
		c.hopPortable(from, to)
		return
	}
	g := c.self // read before to is told: it writes to.g
	if to != nil {
		g = to.g
	}
	c.tell(to)
	g.Hop()
	if from != nil {
		from.th.ctx.Learn()
	}
}

// tell is for the race detector: to, or the loop if that is nil, sees what was done
// until here. Nothing but the switch may follow.
func (c *carrier) tell(to *task) {
	if !raceEnabled {
		return
	}
	raceRelease(unsafe.Pointer(c))
	if to != nil && to.th.native {
		to.th.ctx.Tell()
	}
}

// settle does what is to be done with the thread that ran before.
func (c *carrier) settle() {
	raceAcquire(unsafe.Pointer(c))
	then := c.then
	c.then = nothing
	t := c.prev // it stays there until there is another: to clear it is a store for nothing
	switch then {
	case requeue:
		t.setState(StateReady)
		c.pushLast(t)
		c.rt.offer(c) // somebody may have looked before it was here, and gone to sleep
	case commit:
		if !t.commitPark() {
			c.readyHere(t)
		}
	case release:
		l := c.held
		c.held = nil
		l.unlock()
	case commitWait:
		if t.th.waiter.commit() {
			c.readyHere(t)
		}
	case bury:
		t.bury(c)
	case shelve:
		th := c.worn
		c.worn = nil
		c.putAnchor(th)
	}
}

// readyHere makes t ready on c.
func (c *carrier) readyHere(t *task) {
	if c.rt.hook != nil {
		c.rt.hooked(ThreadReady, c, t, NotWaiting)
	}
	t.setState(StateReady)
	c.push(t)
	c.rt.offer(c)
	c.rt.stir()
}

// newID returns a number that no other thread has.
func (c *carrier) newID() uint64 {
	if c.ids == c.lastID {
		const block = 256
		c.lastID = lastID.Add(block)
		c.ids = c.lastID - block
	}
	c.ids++
	return c.ids
}
