package futex

import (
	"context"
	"sync/atomic"
	"unsafe"
)

// RWMutex is a lock that many readers or one writer hold, for the threads of one process, in sixteen bytes of any memory. The
// zero RWMutex is unlocked. It must not be copied after first use.
//
// Readers and writers take turns: readers who come while a writer waits queue behind it, and all who have queued go in
// together when it is done, before the next writer. So neither starves.
type RWMutex struct {
	writers Mutex // writers exclude each other by it, for as long as they wait and hold
	state   atomic.Uint64
}

// The state, from the lowest bit: how many read (32 bits), how many readers queue behind the writer (20), in which phase
// the lock is (11), and whether a writer waits or holds (1).
//
//	reader   no writer: reading+1. Else queued+1, and it sleeps until the phase has changed: then it reads
//	writer   sets its bit, then waits until nobody reads
//	unlock   by the writer, or when it gives up: the queued ones become reading, the phase changes, its bit is cleared
//
// The writer sleeps on the half that says how many read, readers sleep on the half with the phase. All of it changes by one
// compare-and-swap, so a reader that gives up either still is in the queue, or reads.
const (
	oneReading  = 1 << 0
	allReading  = 1<<32 - 1
	oneQueued   = 1 << 32
	allQueued   = (1<<20 - 1) << 32
	onePhase    = 1 << 52
	allPhases   = (1<<11 - 1) << 52
	writerWants = 1 << 63
)

// halves are the indexes of the low and the high 32 bits of a uint64 in memory.
var lowHalf, highHalf = func() (low, high int) {
	one := uint64(1)
	if (*[2]uint32)(unsafe.Pointer(&one))[0] == 1 {
		return 0, 1
	}
	return 1, 0
}()

func (m *RWMutex) half(i int) *uint32 { return &(*[2]uint32)(unsafe.Pointer(&m.state))[i] }

// Lock takes the lock for writing.
func (m *RWMutex) Lock() {
	l := forever
	must(m.lock(&l))
}

// TryLock takes the lock for writing if it is free.
func (m *RWMutex) TryLock() bool {
	if !m.writers.TryLock() {
		return false
	}
	for {
		state := m.state.Load()
		if state&allReading != 0 {
			m.writers.Unlock()
			return false
		}
		if m.state.CompareAndSwap(state, state|writerWants) {
			return true
		}
	}
}

// LockUntil is Lock up to a deadline: then it returns ErrTimeout.
func (m *RWMutex) LockUntil(deadline Deadline) error {
	l := until(deadline)
	return m.lock(&l)
}

// LockContext is Lock until ctx is done: then it returns ctx.Err().
func (m *RWMutex) LockContext(ctx context.Context) error {
	l := during(ctx)
	defer l.release()
	return m.lock(&l)
}

func (m *RWMutex) lock(l *limit) error {
	if !m.writers.TryLock() {
		if err := m.writers.lock(l); err != nil {
			return err
		}
	}
	for state := m.state.Or(writerWants) | writerWants; state&allReading != 0; state = m.state.Load() {
		if err := l.sleep(m.half(lowHalf), uint32(state), Private); err != nil {
			m.Unlock()
			return err
		}
	}
	return nil
}

// Unlock ends writing, and lets the readers in that have queued. It panics if nobody writes.
func (m *RWMutex) Unlock() {
	for {
		state := m.state.Load()
		if state&writerWants == 0 {
			panic("futex: unlock of an RWMutex that nobody writes")
		}
		queued := state & allQueued / oneQueued
		now := state&allReading + queued | (state+onePhase)&allPhases
		if !m.state.CompareAndSwap(state, now) {
			continue
		}
		if queued > 0 {
			_, err := rouse(m.half(highHalf), WakeAll, Private)
			must(err)
		}
		m.writers.Unlock()
		return
	}
}

// RLock takes the lock for reading. A goroutine that reads must not call it again: with a writer waiting in between, it
// would wait for itself.
func (m *RWMutex) RLock() {
	if !m.TryRLock() {
		l := forever
		must(m.rlock(&l))
	}
}

// TryRLock takes the lock for reading if no writer holds it or waits for it.
func (m *RWMutex) TryRLock() bool {
	for {
		state := m.state.Load()
		if state&writerWants != 0 {
			return false
		}
		if m.state.CompareAndSwap(state, state+oneReading) {
			return true
		}
	}
}

// RLockUntil is RLock up to a deadline: then it returns ErrTimeout.
func (m *RWMutex) RLockUntil(deadline Deadline) error {
	l := until(deadline)
	return m.rlock(&l)
}

// RLockContext is RLock until ctx is done: then it returns ctx.Err().
func (m *RWMutex) RLockContext(ctx context.Context) error {
	l := during(ctx)
	defer l.release()
	return m.rlock(&l)
}

func (m *RWMutex) rlock(l *limit) error {
	var phase uint64
	for {
		if m.TryRLock() {
			return nil
		}
		if err := l.over(); err != nil {
			return err
		}
		state := m.state.Load()
		if state&allQueued == allQueued {
			panic("futex: more readers wait for an RWMutex than it can count")
		}
		if state&writerWants != 0 && m.state.CompareAndSwap(state, state+oneQueued) {
			phase = state & allPhases
			break
		}
	}
	for {
		state := m.state.Load()
		if state&allPhases != phase {
			return nil
		}
		if err := l.sleep(m.half(highHalf), uint32(state>>32), Private); err != nil {
			return m.dequeue(phase, err)
		}
	}
}

// dequeue takes a reader out of the queue and returns why; or nil, if it was let in before that.
func (m *RWMutex) dequeue(phase uint64, why error) error {
	for {
		state := m.state.Load()
		if state&allPhases != phase {
			return nil
		}
		if m.state.CompareAndSwap(state, state-oneQueued) {
			return why
		}
	}
}

// RUnlock ends reading. The last reader wakes the writer that waits. It panics if nobody reads.
func (m *RWMutex) RUnlock() {
	for {
		state := m.state.Load()
		if state&allReading == 0 {
			panic("futex: runlock of an RWMutex that nobody reads")
		}
		if !m.state.CompareAndSwap(state, state-oneReading) {
			continue
		}
		if state&allReading == oneReading && state&writerWants != 0 {
			_, err := rouse(m.half(lowHalf), 1, Private)
			must(err)
		}
		return
	}
}
