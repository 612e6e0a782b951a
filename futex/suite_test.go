package futex_test

import (
	"context"

	"greenthread/futex"
)

// The suite of the primitives is written once, for these interfaces. The types for several processes have these methods;
// those for one are given them below.
type (
	mutex interface {
		Lock() error
		TryLock() (bool, error)
		LockUntil(futex.Deadline) error
		LockContext(context.Context) error
		Unlock() error
	}
	rwMutex interface {
		mutex
		RLock() error
		TryRLock() (bool, error)
		RLockUntil(futex.Deadline) error
		RLockContext(context.Context) error
		RUnlock() error
	}
	cond interface { // with its mutex
		mutex
		Wait() error
		WaitUntil(futex.Deadline) error
		WaitContext(context.Context) error
		Signal() error
		Broadcast() error
	}
	semaphore interface {
		Acquire() error
		TryAcquire() bool
		AcquireUntil(futex.Deadline) error
		AcquireContext(context.Context) error
		Release(int) error
		Permits() int
	}
	barrier interface {
		Wait(parties int) (bool, error)
		WaitUntil(int, futex.Deadline) (bool, error)
		WaitContext(int, context.Context) (bool, error)
	}
	event interface {
		Set() error
		Reset() bool
		IsSet() bool
		Wait() error
		WaitUntil(futex.Deadline) error
		WaitContext(context.Context) error
	}
	once interface {
		Do(func()) error
		Done() bool
	}
)

// world makes primitives at their zero values.
type world struct {
	mutex     func() mutex
	rwMutex   func() rwMutex
	cond      func() cond
	semaphore func() semaphore
	barrier   func() barrier
	event     func() event
	once      func() once
}

var private = world{
	mutex:     func() mutex { return &privateMutex{} },
	rwMutex:   func() rwMutex { return &privateRWMutex{} },
	cond:      func() cond { return &privateCond{} },
	semaphore: func() semaphore { return &privateSemaphore{} },
	barrier:   func() barrier { return &privateBarrier{} },
	event:     func() event { return &privateEvent{} },
	once:      func() once { return &privateOnce{} },
}

type privateMutex struct{ futex.Mutex }

func (m *privateMutex) Lock() error            { m.Mutex.Lock(); return nil }
func (m *privateMutex) TryLock() (bool, error) { return m.Mutex.TryLock(), nil }
func (m *privateMutex) Unlock() error          { m.Mutex.Unlock(); return nil }

type privateRWMutex struct{ futex.RWMutex }

func (m *privateRWMutex) Lock() error             { m.RWMutex.Lock(); return nil }
func (m *privateRWMutex) TryLock() (bool, error)  { return m.RWMutex.TryLock(), nil }
func (m *privateRWMutex) Unlock() error           { m.RWMutex.Unlock(); return nil }
func (m *privateRWMutex) RLock() error            { m.RWMutex.RLock(); return nil }
func (m *privateRWMutex) TryRLock() (bool, error) { return m.RWMutex.TryRLock(), nil }
func (m *privateRWMutex) RUnlock() error          { m.RWMutex.RUnlock(); return nil }

type privateCond struct {
	privateMutex
	c futex.Cond
}

func (c *privateCond) Wait() error                         { c.c.Wait(&c.Mutex); return nil }
func (c *privateCond) WaitUntil(d futex.Deadline) error    { return c.c.WaitUntil(&c.Mutex, d) }
func (c *privateCond) WaitContext(x context.Context) error { return c.c.WaitContext(&c.Mutex, x) }
func (c *privateCond) Signal() error                       { c.c.Signal(); return nil }
func (c *privateCond) Broadcast() error                    { c.c.Broadcast(&c.Mutex); return nil }

type privateSemaphore struct{ futex.Semaphore }

func (s *privateSemaphore) Acquire() error      { s.Semaphore.Acquire(); return nil }
func (s *privateSemaphore) Release(n int) error { s.Semaphore.Release(n); return nil }

type privateBarrier struct{ futex.Barrier }

func (b *privateBarrier) Wait(n int) (bool, error) { return b.Barrier.Wait(n), nil }

type privateEvent struct{ futex.Event }

func (e *privateEvent) Set() error  { e.Event.Set(); return nil }
func (e *privateEvent) Wait() error { e.Event.Wait(); return nil }

type privateOnce struct{ futex.Once }

func (o *privateOnce) Do(f func()) error { o.Once.Do(f); return nil }
