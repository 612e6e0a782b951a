package futex

import "context"

// SharedSemaphore is a Semaphore for several processes. Zeroed memory holds one without permits, in eight bytes. Permits have no
// owner: those that a process has when it dies are gone.
type SharedSemaphore struct {
	_ noCopy
	permits
}

// Acquire takes a permit, and waits for it first if there is none.
func (s *SharedSemaphore) Acquire() error {
	l := forever
	return s.acquire(&l, Shared)
}

// TryAcquire takes a permit if there is one.
func (s *SharedSemaphore) TryAcquire() bool { return s.take() }

// AcquireUntil is Acquire up to a deadline: then it returns ErrTimeout.
func (s *SharedSemaphore) AcquireUntil(deadline Deadline) error {
	l := until(deadline)
	return s.acquire(&l, Shared)
}

// AcquireContext is Acquire until ctx is done: then it returns ctx.Err().
func (s *SharedSemaphore) AcquireContext(ctx context.Context) error {
	l := during(ctx)
	defer l.release()
	return s.acquire(&l, Shared)
}

// Release puts n permits in and wakes as many waiters. It panics when there would be more than 4294967295.
func (s *SharedSemaphore) Release(n int) error { return s.release(n, Shared) }
