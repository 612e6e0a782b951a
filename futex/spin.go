package futex

import (
	"runtime"
	"sync/atomic"
)

// spinner decides how long a Parker looks for its token before it sleeps, and learns from what came of it.
//
// The trade: to sleep and be woken costs a few microseconds, and tens of them where the CPU has gone idle meanwhile; a
// token that comes while one still looks is there within a cache miss. But time spent looking in vain is lost for
// everyone. So nobody looks longer than a sleep would cost, which is at most twice the cost of knowing beforehand; and
// each miss halves the next look, down to a glance, until one succeeds.
//
// Two partners that only glance may both sleep every time, though each would be quick enough for a longer look.
// Therefore retryEvery misses in a row are followed by a look in full. One who always misses thus looks for two full
// looks, and a few glances, in retryEvery sleeps.
type spinner struct {
	misses uint8 // since the last success, modulo retryEvery
}

const (
	fullLook   = 4096 // rounds; 25 us on a 4 GHz EPYC, where a wake-up through an idle CPU took 16 to 22 (BenchmarkFullLook)
	mostHalves = 6    // a glance is 1/64 of a full look
	retryEvery = 32
)

// lookRounds is fullLook, except in tests.
var lookRounds = fullLook

// forToken reports whether a token showed up within the time that is worth waiting for. Without a second CPU it does not
// spin, but lets others run once: the goroutine that will unpark us may be waiting for our P, which sleeps with us until
// the scheduler's monitor takes it away, one or two hundred microseconds later.
func (s *spinner) forToken(state *uint32) bool {
	if !parallel.Load() {
		runtime.Gosched()
		askParallel()
		return atomic.LoadUint32(state) == token
	}
	x := uint32(3)
	for range lookRounds >> min(s.misses, mostHalves) {
		if atomic.LoadUint32(state) == token {
			s.misses = 0
			return true
		}
		x = pause(x)
	}
	if s.misses++; s.misses == retryEvery {
		s.misses = 0
	}
	askParallel()
	return false
}

// pause keeps the CPU from asking for the line again at once, and leaves the units of a core to its other thread: a
// chain of multiplications, each of which waits for the one before. (The PAUSE instruction would be better, but takes
// assembly.)
//
//go:noinline
func pause(x uint32) uint32 {
	for range 8 {
		x *= x
	}
	return x
}

// parallel tells whether two threads can run Go code at once. With one CPU, to spin is to keep off the CPU the very
// thread one waits for.
var parallel atomic.Bool

func init() { askParallel() }

// askParallel asks again. GOMAXPROCS can change, and asking takes a lock, so this is done before a sleep and not before a look:
// a Parker notices a change one look late.
func askParallel() {
	if now := min(runtime.NumCPU(), runtime.GOMAXPROCS(0)) > 1; now != parallel.Load() {
		parallel.Store(now)
	}
}
