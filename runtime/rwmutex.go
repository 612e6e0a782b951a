package runtime

import (
	"context"
	"sync"
	"sync/atomic"
)

// A RWMutex is a lock that any number of readers hold, or one writer, with the contract
// of sync.RWMutex: the zero value is unlocked, it must not be copied after first use, it
// may be unlocked by another than who has locked it. A Lock that waits keeps new readers
// out, so that it ends; hence a reader must not RLock again. When a writer unlocks, all
// readers that wait go before the next writer. Unlock happens before each later RLock
// and Lock, RUnlock before each later Lock.
//
// RLock and RUnlock with no writer about are one atomic operation each; Lock and Unlock
// with nobody about two each.
type RWMutex struct {
	_       noCopy
	writers Mutex        // held by the writer, and by the one who waits for the readers
	state   atomic.Int64 // number of readers, times rwReader, and the two bits below
	guard   spin         // of the queues
	readers queue        // who wait to read
	writer  queue        // the one who waits for the readers to leave
}

// The bits are set by and for the one who has writers, rwWriter by itself, also before
// the readers have left. rwQueued says that readers is not empty; it is changed under the
// guard only.
const (
	rwWriter int64 = 1 << iota
	rwQueued
	rwReader
)

// RLock locks rw for reading; it waits until that is possible.
func (rw *RWMutex) RLock() {
	point()
	if !rw.TryRLock() {
		_ = rw.rlock(never)
	}
}

// RLockContext is RLock until ctx ends: then the error is its cause, and nothing is locked.
// What can be locked without waiting is, whatever ctx is.
func (rw *RWMutex) RLockContext(ctx context.Context) error {
	point()
	if rw.TryRLock() {
		return nil
	}
	return rw.rlock(ctx)
}

// TryRLock locks rw for reading if no writer holds it or waits for it, and reports
// whether it has done so.
func (rw *RWMutex) TryRLock() bool {
	point()
	for {
		old := rw.state.Load()
		if old&rwWriter != 0 {
			return false
		}
		if rw.state.CompareAndSwap(old, old+rwReader) {
			return true
		}
	}
}

// RUnlock undoes one RLock; it never waits. It panics if rw is not locked for reading.
func (rw *RWMutex) RUnlock() {
	point()
	state := rw.state.Add(-rwReader)
	if state < 0 {
		rw.state.Add(rwReader)
		panic("greenthread: RUnlock of unlocked RWMutex")
	}
	if state < rwReader && state&rwWriter != 0 {
		rw.lastLeft()
	}
}

// Lock locks rw for writing; it waits until that is possible.
func (rw *RWMutex) Lock() { _ = rw.lock(never) }

// LockContext is Lock until ctx ends: then the error is its cause, and nothing is locked.
// What can be locked without waiting is, whatever ctx is.
func (rw *RWMutex) LockContext(ctx context.Context) error { return rw.lock(ctx) }

// TryLock locks rw for writing if nobody holds it, and reports whether it has done so.
func (rw *RWMutex) TryLock() bool {
	point()
	if !rw.writers.TryLock() {
		return false
	}
	if rw.state.CompareAndSwap(0, rwWriter) {
		return true
	}
	rw.writers.Unlock()
	return false
}

// Unlock undoes a Lock; it never waits. It panics if rw is not locked for writing.
func (rw *RWMutex) Unlock() {
	point()
	if !rw.state.CompareAndSwap(rwWriter, 0) {
		if state := rw.state.Load(); state&rwWriter == 0 || state >= rwReader {
			panic("greenthread: Unlock of unlocked RWMutex")
		}
		rw.guard.lock()
		rw.admit()
	}
	rw.writers.Unlock()
}

// RLocker returns a locker whose Lock and Unlock are RLock and RUnlock.
func (rw *RWMutex) RLocker() sync.Locker { return (*rlocker)(rw) }

type rlocker RWMutex

func (r *rlocker) Lock()   { (*RWMutex)(r).RLock() }
func (r *rlocker) Unlock() { (*RWMutex)(r).RUnlock() }

//go:noinline
func (rw *RWMutex) rlock(ctx context.Context) error {
	point()
	w := enlist()
	defer w.discharge()
	rw.guard.lock()
	for {
		old := rw.state.Load()
		if old&rwWriter == 0 {
			if rw.state.CompareAndSwap(old, old+rwReader) {
				rw.guard.unlock()
				return nil
			}
		} else if rw.state.CompareAndSwap(old, old|rwQueued) {
			break
		}
	}
	rw.readers.push(&w.entry)
	if w.await(&w.entry, &rw.guard, ctx, WaitRWMutexRead) {
		rw.state.Load() // after the Unlock that has let us in
		return nil
	}
	if rw.readers.empty() {
		rw.state.And(^rwQueued)
	}
	rw.guard.unlock()
	return context.Cause(ctx)
}

func (rw *RWMutex) lock(ctx context.Context) error {
	point()
	if !rw.writers.TryLock() {
		if err := rw.writers.lockSlow(ctx, WaitRWMutexWrite); err != nil {
			return err
		}
	}
	if rw.state.CompareAndSwap(0, rwWriter) {
		return nil
	}
	return rw.expel(ctx)
}

// expel keeps new readers out and waits for those that are in. The caller has writers.
func (rw *RWMutex) expel(ctx context.Context) error {
	point()
	w := enlist()
	defer w.discharge()
	rw.guard.lock()
	if rw.state.Or(rwWriter) < rwReader {
		rw.guard.unlock()
		return nil
	}
	rw.writer.push(&w.entry)
	if w.await(&w.entry, &rw.guard, ctx, WaitRWMutexWrite) {
		rw.state.Load() // after the RUnlock of all
		return nil
	}
	rw.admit()
	rw.writers.Unlock()
	return context.Cause(ctx)
}

// lastLeft lets the writer in that waits for the readers.
func (rw *RWMutex) lastLeft() {
	point()
	var e *entry
	rw.guard.lock()
	if state := rw.state.Load(); state&rwWriter != 0 && state < rwReader {
		e = rw.writer.pop()
	}
	rw.guard.unlock()
	if e != nil {
		e.waiter.wake()
	}
}

// admit ends the time of the writer, and lets all readers in that wait. The caller holds
// the guard; admit gives it back.
func (rw *RWMutex) admit() {
	all := rw.readers.popAll()
	n := int64(0)
	for e := all.first; e != nil; e = e.next {
		n++
	}
	for {
		old := rw.state.Load()
		if rw.state.CompareAndSwap(old, old&^(rwWriter|rwQueued)+n*rwReader) {
			break
		}
	}
	rw.guard.unlock()
	wakeAll(all.first)
}
