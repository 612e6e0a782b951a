package runtime

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"greenthread/asm"
	"greenthread/futex"
)

// A waiter is whoever waits in queues: a green thread, which is switched out, or
// an ordinary goroutine, which sleeps. It is the bridge between the two: every
// primitive of this package is built from waiters and queues, and does not know
// which it has.
//
// A plain wait ends in one way only: somebody pops its entry. Its lock stays
// locked until the thread is switched out, and being popped under that lock
// decides everything; there is no atomic operation but those of the lock.
//
// A wait with a limit (a deadline, a context) or in several queues can be ended
// by several at once, so one word decides:
//
//	state:  number of the wait | code of who has claimed it | delivered | parked
//
// Whoever moves the code away from 0 has won, and must then call wake. The thread
// is made ready by the second of two events: that it is parked (it has been
// switched out), and that the wake is delivered.
type waiter struct {
	thread *task // nil for a goroutine
	single bool  // a plain wait
	asleep bool  // it sleeps on bed, though it may be a thread
	state  atomic.Uint64
	bed    *bed   // made when it is needed
	entry  entry  // the place of a wait in one queue
	timer  *timer // a thread's, made when it is needed
}

const (
	waitParked    uint64 = 1 << 0
	waitDelivered uint64 = 1 << 1
	waitCodeShift        = 2
	waitCodeMask  uint64 = 1<<30 - 1
	waitSeqShift         = 32
)

// Codes with which waits end. Those from codeGranted on are of entries.
const (
	codeTimeout  uint32 = 1 + iota // the deadline has come
	codeCanceled                   // the context has ended
	codeGranted                    // the entry was popped
)

// A limit is when a wait gives up. The zero value is never.
type limit struct {
	ctx   context.Context // nil: none
	timed bool
	after time.Duration // from now, if timed
}

func (l *limit) never() bool { return !l.timed && (l.ctx == nil || l.ctx.Done() == nil) }

var waiters = sync.Pool{New: func() any { return newWaiter() }}

func newWaiter() *waiter {
	w := &waiter{}
	w.entry.waiter, w.entry.code = w, codeGranted
	return w
}

// enlist returns the waiter that stands for the caller until discharge. A thread
// has one of its own; it waits for one thing at a time.
func enlist() *waiter {
	if t := caller(); t != nil {
		return t.asWaiter()
	}
	if !native() || asm.InBubble() {
		return newWaiter() // its channel must be of this bubble
	}
	return waiters.Get().(*waiter)
}

// discharge gives w back, whose entries are in no queue any more.
func (w *waiter) discharge() {
	if w.thread == nil {
		w.pool()
	}
}

func (w *waiter) pool() {
	if native() && !asm.InBubble() {
		waiters.Put(w)
	}
}

// begin starts a wait, before an entry of w goes into a queue. It is not needed
// for a plain wait.
func (w *waiter) begin() {
	w.single = false
	seq := w.state.Load()>>waitSeqShift + 1
	w.state.Store(seq << waitSeqShift)
}

// wait suspends the caller, whose waiter w is and who has put w's own entry into a
// queue that is guarded by l, until the entry was popped and w was woken. It gives l back.
func (w *waiter) wait(l *spin, why Reason) {
	w.single = true
	if t := w.thread; t != nil {
		if ctx, ok := t.switches(); ok {
			c := t.carrier
			c.held = l
			t.rests(c, why)
			c.leave(t, ctx, release, c.next())
			return
		}
	}
	w.lieDown(limit{})
	l.unlock()
	w.thread.mustSwitch()
	w.bed.sleep()
	w.asleep = false
}

// lieDown prepares w to sleep, until limit at most; nobody may wake it before.
func (w *waiter) lieDown(limit limit) {
	if w.bed == nil {
		w.bed = &bed{token: make(chan struct{}, 1)}
	}
	w.bed.kernel = native() && asm.ThreadLocked()
	if w.thread == nil && limit.never() {
		w.bed.helpless = true
		deadlocks.helpless.Add(1)
	}
	w.asleep = true
}

// waitFor is wait for one who has called begin, and whose entries are in queues
// whose locks have been given back. It returns the code of what has ended the
// wait; unless it is a code of an entry, the caller must remove its entries from
// their queues. With several entries, it must remove the others in any case.
func (w *waiter) waitFor(limit limit, why Reason) uint32 {
	point()
	seq := w.state.Load() >> waitSeqShift
	t, ctx, switches := w.thread, (*asm.Context)(nil), false
	if t != nil {
		if ctx, switches = t.switches(); !switches {
			t.mustSwitch()
		}
	}
	if limit.timed {
		if limit.after <= 0 {
			w.expire(seq, codeTimeout)
		} else {
			stop := w.startTimer(limit.after, seq, !switches)
			defer stop()
		}
	}
	if limit.ctx != nil && limit.ctx.Done() != nil {
		deadlocks.cancellable.Add(1)
		stop := w.onDone(limit.ctx, seq, codeCanceled)
		defer func() {
			stop()
			deadlocks.cancellable.Add(-1)
		}()
	}
	if switches {
		c := t.carrier
		t.rests(c, why)
		c.leave(t, ctx, commitWait, c.next())
		point() // before the caller removes its entries
	} else {
		w.lieDown(limit)
		if w.commit() {
			w.bed.wake() // by ourselves: nobody else does
		}
		w.bed.sleep()
		w.asleep = false
	}
	return uint32(w.state.Load() >> waitCodeShift & waitCodeMask)
}

// expire ends wait number seq with that code, if it has not ended.
func (w *waiter) expire(seq uint64, code uint32) {
	if w.claimSeq(seq, code) {
		w.wake()
	}
}

// claim reports whether the caller has won the right to end the wait, and must
// call wake. The caller has found an entry of w in a queue, and holds its lock.
func (w *waiter) claim(code uint32) bool {
	return w.single || w.claimSeq(w.state.Load()>>waitSeqShift, code)
}

func (w *waiter) claimSeq(seq uint64, code uint32) bool {
	for {
		old := w.state.Load()
		if old>>waitSeqShift != seq || old>>waitCodeShift&waitCodeMask != 0 {
			return false
		}
		if w.state.CompareAndSwap(old, old|uint64(code)<<waitCodeShift) {
			return true
		}
	}
}

// wake ends the wait of w, which the caller has claimed.
func (w *waiter) wake() {
	switch {
	case !w.single && w.state.Or(waitDelivered)&waitParked == 0: // commit does it
	case w.asleep:
		w.bed.wake()
	default:
		w.thread.rt.ready(w.thread)
	}
}

// commit is called once the wait can be ended from elsewhere. It reports whether
// that has happened already: then it is the caller who ends it.
func (w *waiter) commit() bool {
	return w.state.Or(waitParked)&waitDelivered != 0
}

// wakeAll wakes the waiters of a list of popped entries, linked by next.
func wakeAll(e *entry) {
	for e != nil {
		next := e.next
		e.next = nil
		e.waiter.wake()
		e = next
	}
}

// A bed is where a waiter sleeps that is not switched out. One that is locked to
// its kernel thread sleeps on a futex, since Go would have to switch between kernel
// threads to run it; any other waits on a channel, as a kernel thread for each
// would be a waste.
type bed struct {
	token    chan struct{}
	parker   futex.Parker
	kernel   bool // this time it sleeps on parker
	helpless bool // it is a goroutine's that only others of this package's users can wake
}

func (b *bed) sleep() {
	if b.kernel {
		b.parker.Park()
		return
	}
	<-b.token
}

func (b *bed) wake() {
	if b.helpless {
		b.helpless = false
		deadlocks.helpless.Add(-1)
	}
	if b.kernel {
		b.parker.Unpark()
		return
	}
	b.token <- struct{}{}
}
