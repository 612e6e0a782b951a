package runtime

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"
)

// A Semaphore counts permits. Acquire takes some, and waits until there are enough;
// Release puts them back. Who waits is served first come first served: while somebody waits
// for many permits, others who want few wait behind, so nobody starves. What is done
// before Release happens before the return of an Acquire that it allows.
//
// The zero value has no permits and no upper bound: each Release puts in new ones, so it
// counts events. One of NewSemaphore has a size. It must not be copied after first use.
//
// While nobody waits, Acquire and Release are one compare-and-swap each.
type Semaphore struct {
	_     noCopy
	state atomic.Int64 // permits that are free, times 2, and semaphoreWaiting
	size  int64        // 0 is without bound
	guard spin         // of queue
	queue queue        // entry.want is the number of permits
}

// semaphoreWaiting: the queue is not empty. It is changed under the guard only; while
// it is set, permits are taken and put in under the guard only, too.
const semaphoreWaiting = 1

// MaxPermits is how many permits a Semaphore can have.
const MaxPermits = math.MaxInt32

// NewSemaphore returns a semaphore with n free permits, of which there are never more
// than n. It panics unless n is from 1 to MaxPermits.
func NewSemaphore(n int) *Semaphore {
	if n < 1 || n > MaxPermits {
		panic(fmt.Sprintf("greenthread: NewSemaphore of %d, it must be from 1 to %d", n, MaxPermits))
	}
	s := &Semaphore{size: int64(n)}
	s.state.Store(int64(n) * 2)
	return s
}

// Acquire takes n permits, and waits until it can. If ctx ends first, the error is its
// cause, and nothing is taken. Permits that are free are taken whatever ctx is. The error
// wraps ErrBadOption, at once, for an n that is negative or can never be had.
func (s *Semaphore) Acquire(ctx context.Context, n int) error {
	point()
	if s.TryAcquire(n) {
		return nil
	}
	if limit := s.limit(); n < 0 || int64(n) > limit {
		return fmt.Errorf("%w: Acquire of %d permits, it must be from 0 to %d", ErrBadOption, n, limit)
	}
	point()
	w := enlist()
	defer w.discharge()
	e := &w.entry
	s.guard.lock()
	if s.take(int64(n)) {
		s.guard.unlock()
		return nil
	}
	e.want = int64(n)
	s.queue.push(e)
	if w.await(e, &s.guard, ctx, WaitSemaphore) {
		return nil
	}
	if s.state.Load()&semaphoreWaiting == 0 {
		s.guard.unlock()
	} else {
		s.serve() // we may have been in the way of others
	}
	return context.Cause(ctx)
}

// TryAcquire takes n permits if they are free, and nobody waits, and reports whether it
// has done so.
func (s *Semaphore) TryAcquire(n int) bool {
	point()
	if n < 0 {
		return false
	}
	for {
		old := s.state.Load()
		if old&semaphoreWaiting != 0 || old < int64(n)*2 {
			return false
		}
		if s.state.CompareAndSwap(old, old-int64(n)*2) {
			return true
		}
	}
}

// Release puts n permits in, and wakes those who can go on. It never waits. It panics if n
// is negative, or if there are more permits then than the semaphore can have.
func (s *Semaphore) Release(n int) {
	point()
	if n < 0 {
		panic(fmt.Sprintf("greenthread: Semaphore.Release of %d permits", n))
	}
	for {
		old := s.state.Load()
		if limit := s.limit(); int64(n) > limit-old>>1 {
			panic(fmt.Sprintf("greenthread: Semaphore.Release of %d permits, with %d free of at most %d", n, old>>1, limit))
		}
		if old&semaphoreWaiting != 0 {
			s.guard.lock()
			if s.state.Load()&semaphoreWaiting != 0 {
				s.state.Add(int64(n) * 2)
				s.serve()
				return
			}
			s.guard.unlock()
		} else if s.state.CompareAndSwap(old, old+int64(n)*2) {
			return
		}
	}
}

// Free returns how many permits were free a moment ago.
func (s *Semaphore) Free() int { return int(s.state.Load() >> 1) }

func (s *Semaphore) limit() int64 {
	if s.size == 0 {
		return MaxPermits
	}
	return s.size
}

// take takes n permits, or notes that the caller, who holds the guard, is about to
// wait for them.
func (s *Semaphore) take(n int64) bool {
	for {
		old := s.state.Load()
		switch {
		case old&semaphoreWaiting != 0:
			return false
		case old < n*2:
			if s.state.CompareAndSwap(old, old|semaphoreWaiting) {
				return false
			}
		case s.state.CompareAndSwap(old, old-n*2):
			return true
		}
	}
}

// serve gives permits to those who wait, in their order, as far as they go. The caller
// holds the guard, which serve gives back, and semaphoreWaiting is set, so that nobody
// else changes the state.
func (s *Semaphore) serve() {
	var served chain
	free := s.state.Load() >> 1
	for !s.queue.empty() && s.queue.head.want <= free {
		want := s.queue.head.want
		e := s.queue.popHead()
		if e == nil {
			continue // it has left
		}
		free -= want
		served.add(e)
	}
	state := free * 2
	if !s.queue.empty() {
		state |= semaphoreWaiting
	}
	s.state.Store(state)
	s.guard.unlock()
	wakeAll(served.first)
}
