package futex

import (
	"sync/atomic"
	"time"
)

// A SharedMutex keeps newcomers out, as a Mutex does, when somebody has been passed over for too long. But who asks for that
// may be killed before it gets the lock. So what it leaves is a time, on the clock that all processes share: until then,
// only those who have slept may take the lock.

// shutFor is how long the door stays shut: enough for a woken thread to find a CPU and a P.
const shutFor = 100 * time.Millisecond

// millis are those of the monotonic clock, as far as they go into a word, and never 0.
func millis(at Deadline) uint32 { return uint32(at/Deadline(time.Millisecond)) | 1 }

// shut keeps newcomers out for a while.
func (m *SharedMutex) shut() { atomic.StoreUint32(&m.shutUntil, millis(After(shutFor))) }

// open lets them in again.
func (m *SharedMutex) open() {
	if atomic.LoadUint32(&m.shutUntil) != 0 {
		atomic.StoreUint32(&m.shutUntil, 0)
	}
}

// isShut reports whether newcomers have to wait. The clock is read only when somebody has shut the door.
func (m *SharedMutex) isShut() bool {
	until := atomic.LoadUint32(&m.shutUntil)
	if until == 0 {
		return false
	}
	left := int32(until - millis(Now()))
	if left > 0 && left <= int32(shutFor/time.Millisecond)+1 {
		return true
	}
	atomic.CompareAndSwapUint32(&m.shutUntil, until, 0)
	return false
}
