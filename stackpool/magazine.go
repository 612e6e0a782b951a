package stackpool

import (
	"sync/atomic"
	"unsafe"
)

// maxMagazine is the largest capacity of a magazine.
const maxMagazine = 64

// magazine is a small cache in front of the depot. Each P, which is to say each
// carrier, has one per size class, and takes and puts there without meeting
// anybody: no lock, no locked instruction, no line that another processor writes.
//
// Its owner is whoever runs on that P and is pinned there. All others (Trim,
// Close, the background, a Get that found the depot empty) are outsiders, come
// seldom, and pay for both sides:
//
//	owner                     outsider
//	busy = 1                  seized = 1
//	if seized: busy = 0,      a barrier on all processors
//	   go to the depot        wait until busy is 0
//	use the magazine          use the magazine
//	busy = 0                  seized = 0
//
// The owner's store of busy and its load of seized may change places in the
// processor; the outsider's barrier (membarrier(2), some microseconds) makes sure
// that one of the two sees the other. Where there is no such system call, the
// owner's first store is a locked instruction instead. The grow lock of the pool
// keeps outsiders from each other.
//
// A full magazine gives its older half to the depot; an empty one takes half of
// its capacity from there. So stacks that are taken on one carrier and put back
// on another go through the depot by half magazines, and no carrier hoards more
// than a magazine.
type magazine struct {
	busy   uint32        // the owner is inside
	seized atomic.Uint32 // an outsider is inside, or wants to be
	n      uint32        // how many stacks it holds; outsiders may read it at any time
	seen   uint32        // for the background: uses() when it last looked
	gets   uint64        // how many Gets and Puts it has served
	puts   uint64
	cold   uint64              // Gets among them that got a stack without memory
	slots  [maxMagazine]*Stack // the one put back last at n-1
	_      [88]byte            // so that two owners never share a pair of cache lines
}

// cheap tells that owners need no locked instructions.
func cheap() bool { return plainStores && asymmetric }

// uses returns how many Gets and Puts the magazine has served, modulo 2^32.
func (m *magazine) uses() uint32 {
	return uint32(atomic.LoadUint64(&m.gets) + atomic.LoadUint64(&m.puts))
}

// held returns how many stacks the magazine holds.
func (m *magazine) held() int { return int(atomic.LoadUint32(&m.n)) }

// enter begins the owner's use, and reports whether it may. Needs a pinned owner.
func (m *magazine) enter() bool {
	if cheap() {
		m.busy = 1
	} else if !atomic.CompareAndSwapUint32(&m.busy, 0, 1) {
		return false // cannot be: a P has one owner at a time
	}
	if m.seized.Load() == 0 {
		return true
	}
	m.leave()
	return false
}

// leave ends the owner's use.
func (m *magazine) leave() { publish(&m.busy, 0) }

// pop takes the newest stack, which there must be. The owner or an outsider inside.
func (m *magazine) pop() *Stack {
	n := m.n - 1
	s := m.slots[n&(maxMagazine-1)]
	publish(&m.n, n)
	return s
}

// push adds a stack, for which there must be room. The owner or an outsider inside.
func (m *magazine) push(s *Stack) {
	n := m.n
	m.slots[n&(maxMagazine-1)] = s
	publish(&m.n, n+1)
}

// shed moves the oldest n stacks, in their order, to the beginning of into.
func (m *magazine) shed(n int, into []*Stack) int {
	n = copy(into, m.slots[:min(n, int(m.n))])
	copy(m.slots[:], m.slots[n:m.n])
	publish(&m.n, m.n-uint32(n))
	return n
}

// publish stores what others read by an atomic load, after all that was stored
// before.
func publish(p *uint32, v uint32) {
	if cheap() {
		*p = v
		return
	}
	atomic.StoreUint32(p, v)
}

// count adds one to a counter that only the caller writes.
func count(p *uint64) {
	if cheap() {
		*p++
		return
	}
	atomic.StoreUint64(p, *p+1)
}

// setLive marks a stack that the caller has taken from the cache.
func (s *Stack) setLive() {
	if cheap() {
		*(*uint32)(unsafe.Pointer(&s.state)) = stateLive
		return
	}
	s.state.Store(stateLive)
}
