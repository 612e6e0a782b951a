package runtime

import (
	"runtime"
	"sync/atomic"
)

// publish makes everything that was written before visible to whoever then
// moves the word away from that state by a compare-and-swap. amd64 keeps stores
// in order, so a plain one does; elsewhere, and for the race detector, which
// must see it, the atomic store is used.
func publish(word *uint32, state uint32) {
	if runtime.GOARCH == "amd64" && !raceEnabled {
		*word = state
		return
	}
	atomic.StoreUint32(word, state)
}
