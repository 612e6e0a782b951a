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

// forToken reports whether a token showed up within the time that is worth waiting for.
func (s *spinner) forToken(state *uint32) bool {
	switch before.Load() {
	case sleep:
		ask()
		return false
	case yield:
		runtime.Gosched()
		ask()
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
	ask()
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

// What to do before a sleep depends on how much of this program can run at once.
const (
	look  uint32 = iota // two threads or more: look for the token
	yield               // one P: whoever will unpark us may be in the queue for it, so let the others run once
	sleep               // one CPU, though more Ps: to spin is to keep the CPU from the thread one waits for
)

// Why yield: a thread that sleeps in the kernel takes its P with it, until the scheduler's monitor notices after one or
// two hundred microseconds. With one P, that is time in which nobody runs: a round trip took 160 to 350 us without the
// yield, and takes 15 to 50 with it (BenchmarkBareRoundTrip, BenchmarkRoundTrip).

// othersFirst lets the others run before a sleep, with one P, and reports whether it did.
func othersFirst() bool {
	ask()
	if before.Load() != yield {
		return false
	}
	runtime.Gosched()
	return true
}

// before holds the answer. GOMAXPROCS can change, and to ask for it takes a lock, so that is done before a sleep and not
// before a look: a change is noticed one look late.
var before atomic.Uint32

func init() { ask() }

func ask() {
	now := look
	switch {
	case runtime.GOMAXPROCS(0) == 1:
		now = yield
	case runtime.NumCPU() == 1:
		now = sleep
	}
	if now != before.Load() { // the line is shared by all Parkers
		before.Store(now)
	}
}
