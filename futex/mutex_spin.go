package futex

import (
	"runtime"
	"sync/atomic"
)

// mostSpins bounds how often who finds a Mutex taken looks again before it sleeps. The reasons are those of spinner, but
// a lock is held for a short time as a rule, so a look that is not soon over is given up: 256 rounds are 1.5 us.
const mostSpins = 256

// spin looks whether the lock becomes free, and takes it then. It looks up to twice as often as was enough lately, so a
// lock that is held for long is soon not looked at any more, save for a glance.
func (m *Mutex) spin() bool {
	switch before.Load() {
	case sleep:
		ask()
		return false
	case yield:
		runtime.Gosched()
		ask()
		return m.TryLock()
	}
	usual := atomic.LoadUint32(&m.spins)
	limit := min(2*usual+8, mostSpins)
	n, x := uint32(0), uint32(3)
	got := false
	for ; n < limit && !got; n++ {
		x = pause(x)
		switch old := atomic.LoadUint32(&m.word); {
		case old&hungry != 0:
			return false
		case old&held == 0:
			got = atomic.CompareAndSwapUint32(&m.word, old, old|held)
		}
	}
	if !got {
		n = 0
		ask()
	}
	// A running mean over eight, in which two who write at once may lose one: it is a guess anyway.
	atomic.StoreUint32(&m.spins, usual-usual/8+n/8)
	return got
}
