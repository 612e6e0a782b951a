package futex

import (
	"context"
	"sync"
	"sync/atomic"
)

// readerProcesses is how many processes can read a SharedRWMutex side by side.
const readerProcesses = 15

// SharedRWMutex is an RWMutex for several processes. Zeroed memory holds an unlocked one, in 648 bytes at a multiple of 8.
//
// A process that dies while it reads does no harm: it just reads no longer. After one that died while it wrote, Lock
// returns ErrOwnerDied, with the lock held, until somebody has called MarkConsistent; and until then RLock returns
// ErrOwnerDied too, and the lock is not held: there is nothing to be read.
//
// Side by side read up to 15 processes, with any number of goroutines each. A sixteenth waits for one of them. Readers
// and writers take the lock in the order of their coming, roughly, so neither starves.
type SharedRWMutex struct {
	gate    SharedMutex                  // held by a writer for its whole time, and by a reader while it comes in
	readers [readerProcesses]SharedMutex // each held by a process as long as any of its goroutines reads
	writing uint32                       // so that one knows whether the gate's owner died as a writer
	broken  uint32                       // a writer died, and nobody has repaired yet
}

// reading says, for each lock that this process reads, through which of readers it does, and how many goroutines read.
var reading struct {
	sync.Mutex
	locks map[*SharedRWMutex]*readingIn
}

type readingIn struct {
	slot  *SharedMutex
	count int
}

// Lock takes the lock for writing. It holds it if the error is nil or ErrOwnerDied.
func (m *SharedRWMutex) Lock() error {
	l := forever
	return m.lock(&l)
}

// TryLock takes the lock for writing if it is free. The error can be ErrOwnerDied, with the lock taken.
func (m *SharedRWMutex) TryLock() (locked bool, err error) {
	got, err := m.gate.TryLock()
	if !got {
		return false, err
	}
	if err := m.opened(err); err != nil {
		return false, err
	}
	for i := range m.readers {
		if atomic.LoadUint32(&m.readers[i].word)&TIDMask != 0 {
			return false, m.gate.Unlock()
		}
	}
	err = m.write()
	return true, err
}

// LockUntil is Lock up to a deadline: then it returns ErrTimeout.
func (m *SharedRWMutex) LockUntil(deadline Deadline) error {
	l := until(deadline)
	return m.lock(&l)
}

// LockContext is Lock until ctx is done: then it returns ctx.Err().
func (m *SharedRWMutex) LockContext(ctx context.Context) error {
	l := during(ctx)
	defer l.release()
	return m.lock(&l)
}

// lock passes the gate, where it keeps everyone else out, and waits for those who read.
func (m *SharedRWMutex) lock(l *limit) error {
	if err := m.enter(l); err != nil {
		return err
	}
	for i := range m.readers {
		slot := &m.readers[i]
		if atomic.LoadUint32(&slot.word)&TIDMask == 0 { // and stays so: nobody comes in
			continue
		}
		switch err := slot.lock(l, false); err {
		case nil:
		case ErrOwnerDied:
			slot.MarkConsistent()
		default:
			return both(err, m.gate.Unlock())
		}
		if err := slot.Unlock(); err != nil {
			return both(err, m.gate.Unlock())
		}
	}
	return m.write()
}

// enter takes the gate.
func (m *SharedRWMutex) enter(l *limit) error { return m.opened(m.gate.lock(l, false)) }

// opened notes, for who has taken the gate, whether its last owner died, and as what.
func (m *SharedRWMutex) opened(err error) error {
	if err != ErrOwnerDied {
		return err
	}
	if atomic.LoadUint32(&m.writing) != 0 {
		atomic.StoreUint32(&m.broken, 1)
		atomic.StoreUint32(&m.writing, 0)
	}
	m.gate.MarkConsistent()
	return nil
}

func (m *SharedRWMutex) write() error {
	atomic.StoreUint32(&m.writing, 1)
	if atomic.LoadUint32(&m.broken) != 0 {
		return ErrOwnerDied
	}
	return nil
}

// MarkConsistent declares what the lock guards repaired. The caller holds the lock for writing.
func (m *SharedRWMutex) MarkConsistent() { atomic.StoreUint32(&m.broken, 0) }

// Unlock ends writing. It returns ErrNotOwner if this process does not write.
func (m *SharedRWMutex) Unlock() error {
	if !m.gate.owned() || !atomic.CompareAndSwapUint32(&m.writing, 1, 0) {
		return ErrNotOwner
	}
	return m.gate.Unlock()
}

// RLock takes the lock for reading. It holds it if the error is nil. A goroutine that reads must not call it again: with a
// writer waiting in between, it would wait for itself.
func (m *SharedRWMutex) RLock() error {
	l := forever
	return m.rlock(&l)
}

// TryRLock takes the lock for reading if no writer holds it or waits for it, and nobody is just coming in.
func (m *SharedRWMutex) TryRLock() (locked bool, err error) {
	got, err := m.gate.TryLock()
	if !got {
		return false, err
	}
	if err := m.opened(err); err != nil {
		return false, err
	}
	got, err = m.read()
	return got, both(err, m.gate.Unlock())
}

// RLockUntil is RLock up to a deadline: then it returns ErrTimeout.
func (m *SharedRWMutex) RLockUntil(deadline Deadline) error {
	l := until(deadline)
	return m.rlock(&l)
}

// RLockContext is RLock until ctx is done: then it returns ctx.Err().
func (m *SharedRWMutex) RLockContext(ctx context.Context) error {
	l := during(ctx)
	defer l.release()
	return m.rlock(&l)
}

// rlock passes the gate too, and leaves it open behind it.
func (m *SharedRWMutex) rlock(l *limit) error {
	if err := m.enter(l); err != nil {
		return err
	}
	got, err := m.read()
	if !got && err == nil {
		err = m.readLater(l)
	}
	return both(err, m.gate.Unlock())
}

// read enters one more goroutine of this process among the readers. The caller has the gate. It fails if as many other
// processes read as can.
func (m *SharedRWMutex) read() (got bool, err error) {
	if atomic.LoadUint32(&m.broken) != 0 {
		return false, ErrOwnerDied
	}
	reading.Lock()
	defer reading.Unlock()
	if r := reading.locks[m]; r != nil {
		r.count++
		return true, nil
	}
	for i := range m.readers {
		slot := &m.readers[i]
		switch got, err := slot.try(false); {
		case got:
			slot.MarkConsistent()
			m.enrol(slot)
			return true, nil
		case err != nil:
			return false, err
		}
	}
	return false, nil
}

// readLater waits until one of the other processes has done.
func (m *SharedRWMutex) readLater(l *limit) error {
	slot := &m.readers[0]
	if err := slot.lock(l, false); err != nil && err != ErrOwnerDied {
		return err
	}
	slot.MarkConsistent()
	reading.Lock()
	defer reading.Unlock()
	m.enrol(slot)
	return nil
}

func (m *SharedRWMutex) enrol(slot *SharedMutex) {
	if reading.locks == nil {
		reading.locks = make(map[*SharedRWMutex]*readingIn)
	}
	reading.locks[m] = &readingIn{slot, 1}
}

// RUnlock ends reading. It returns ErrNotOwner if this process does not read.
func (m *SharedRWMutex) RUnlock() error {
	reading.Lock()
	defer reading.Unlock()
	r := reading.locks[m]
	if r == nil {
		return ErrNotOwner
	}
	if r.count--; r.count > 0 {
		return nil
	}
	delete(reading.locks, m)
	return r.slot.Unlock()
}
