package stackpool

import (
	"fmt"
	"sync/atomic"
	"time"
)

// mapsLeft is how many memory maps the pools leave to the rest of the process. It
// would be no use to take the last one: the Go runtime needs some too, and dies
// where we return an error.
const mapsLeft = 1024

// guardMaps counts the memory maps that guards by mprotect cost, over all pools of
// the process, since the kernel's limit is on the process.
var guardMaps atomic.Int64

// mapCount is what a pool knows of the memory maps of the process. Our own are
// always counted exactly. Those of others, and the limit, change slowly, and to
// read them takes some 20 ms when there are many; so they may be a little old.
type mapCount struct {
	limit  int64     // vm.max_map_count, 0 if unknown
	others int64     // maps that are not for guards
	read   time.Time // when they were read
}

const (
	mapsFresh = 100 * time.Millisecond // young enough to refuse a stack
	mapsStale = time.Second            // too old to hand one out
)

// room returns how many maps guards may still cost.
func (c *mapCount) room() int64 {
	return c.limit - min(mapsLeft, c.limit/2) - c.others - guardMaps.Load()
}

// checkMaps tells whether the process can afford the two maps of one more guard by
// mprotect: the kernel must not be the one to say no. Needs grow.
func (p *Pool) checkMaps() error {
	c := &p.maps
	p.readMaps(2)
	if c.limit == 0 || c.room() >= 2 {
		return nil
	}
	return mapCountError(int(c.limit), errNoMemory)
}

// readMaps counts the maps of others anew where the last count is stale, or has
// come to leave less room than needed. Needs grow.
func (p *Pool) readMaps(needed int64) {
	c := &p.maps
	age := time.Since(c.read)
	if age > mapsStale || age > mapsFresh && c.room() < needed {
		maps, limit := p.mem.countMaps()
		c.limit = int64(limit)
		c.others = max(0, int64(maps)-guardMaps.Load())
		c.read = time.Now()
	}
}

// chargeMaps counts the two maps of one more guard by mprotect: its own, and that
// of the memory behind it which it cut off. Needs grow.
func (a *arena) chargeMaps() {
	guardMaps.Add(2)
	a.maps += 2
}

// mapCountError is the error of who needs more memory maps than there may be.
func mapCountError(limit int, cause error) *LimitError {
	return &LimitError{
		Limit: "vm.max_map_count",
		Value: uint64(limit),
		Remedy: fmt.Sprintf("raise it (sysctl -w vm.max_map_count=%d), or use guards by madvise (Linux 6.13), "+
			"since one by mprotect costs two maps (of which %d are left to the rest of the process)", 4*limit, mapsLeft),
		Err: cause,
	}
}
