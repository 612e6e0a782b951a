package runtime

import (
	"runtime"
	"sync/atomic"
)

// A counter is counted up by one carrier, and read by anybody at any time.
type counter uint64

func (n *counter) inc() {
	if runtime.GOARCH == "amd64" && !raceEnabled {
		*n++
		return
	}
	atomic.StoreUint64((*uint64)(n), uint64(*n)+1)
}

func (n *counter) add(more uint64) { atomic.StoreUint64((*uint64)(n), uint64(*n)+more) }

func (n *counter) load() uint64 { return atomic.LoadUint64((*uint64)(n)) }

// counts are what a carrier counts.
type counts struct {
	steals counter
	sleeps counter
	ended  counter // threads

	// switches is the carrier's turn without its wrapping around, up to the value
	// accounted. Both are guarded by the carrier's lock.
	switches  counter
	accounted uint32
}

// account brings counts.switches up to date. The turn wraps around after some tens
// of seconds; the monitor calls account far more often than that while anything
// runs.
func (c *carrier) account() {
	c.lock.lock()
	turn := atomic.LoadUint32(&c.turn)
	c.counts.switches.add(uint64(turn - c.counts.accounted))
	c.counts.accounted = turn
	c.lock.unlock()
}

// addTo adds what c has counted to sum, which nobody else writes.
func (c *carrier) addTo(sum *counts) {
	c.account()
	sum.steals.add(c.counts.steals.load())
	sum.sleeps.add(c.counts.sleeps.load())
	sum.ended.add(c.counts.ended.load())
	sum.switches.add(c.counts.switches.load())
}
