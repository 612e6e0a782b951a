package futex

import (
	"context"
	"math"
	"sync/atomic"
)

// Semaphore counts permits, for the threads of one process, in eight bytes of any memory. The zero Semaphore has none:
// Release puts the first ones in. It must not be copied after first use.
type Semaphore struct {
	_ noCopy
	permits
}

// permits is the state of a Semaphore, in either scope.
type permits struct {
	count   uint32 // what sleepers sleep on, while it is 0
	waiters uint32 // at least as many as sleep
}

// Acquire takes a permit, and waits for it first if there is none.
func (s *Semaphore) Acquire() {
	if !s.take() {
		l := forever
		must(s.acquire(&l, Private))
	}
}

// TryAcquire takes a permit if there is one.
func (s *Semaphore) TryAcquire() bool { return s.take() }

// AcquireUntil is Acquire up to a deadline: then it returns ErrTimeout.
func (s *Semaphore) AcquireUntil(deadline Deadline) error {
	l := until(deadline)
	return s.acquire(&l, Private)
}

// AcquireContext is Acquire until ctx is done: then it returns ctx.Err(). A permit that is there is taken all the same.
func (s *Semaphore) AcquireContext(ctx context.Context) error {
	l := during(ctx)
	defer l.release()
	return s.acquire(&l, Private)
}

// Release puts n permits in and wakes as many waiters; it makes a system call only if somebody waits. It panics when there would be
// more than 4294967295.
func (s *Semaphore) Release(n int) { must(s.release(n, Private)) }

// Permits returns how many there are, a moment ago.
func (s *permits) Permits() int { return int(atomic.LoadUint32(&s.count)) }

func (s *permits) take() bool {
	for {
		count := atomic.LoadUint32(&s.count)
		if count == 0 {
			return false
		}
		if atomic.CompareAndSwapUint32(&s.count, count, count-1) {
			return true
		}
	}
}

func (s *permits) acquire(l *limit, scope Scope) error {
	for !s.take() {
		if err := l.over(); err != nil {
			return err
		}
		atomic.AddUint32(&s.waiters, 1)
		err := l.sleep(&s.count, 0, scope)
		atomic.AddUint32(&s.waiters, ^uint32(0))
		if err != nil {
			if s.take() {
				return nil
			}
			return err
		}
	}
	return nil
}

func (s *permits) release(n int, scope Scope) error {
	if n < 0 || int64(n) > math.MaxUint32 {
		panic("futex: release of a number of permits out of range")
	}
	for {
		count := atomic.LoadUint32(&s.count)
		if count > math.MaxUint32-uint32(n) {
			panic("futex: a Semaphore has more permits than it can count")
		}
		if atomic.CompareAndSwapUint32(&s.count, count, count+uint32(n)) {
			break
		}
	}
	if n == 0 || atomic.LoadUint32(&s.waiters) == 0 {
		return nil
	}
	_, err := rouse(&s.count, min(n, WakeAll), scope)
	return err
}
