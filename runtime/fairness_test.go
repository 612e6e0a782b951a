package runtime

import (
	"sync/atomic"
	"testing"
	"time"
)

// TestTwoThatWakeEachOtherStarveNobody: on the only carrier two threads wake each other without
// end, so each is what was woken last. Wherever another waits for its turn, it gets one.
func TestTwoThatWakeEachOtherStarveNobody(t *testing.T) {
	for name, other := range map[string]func(r *Runtime, end func()){
		"in the ring": func(r *Runtime, end func()) {
			start(t, r, func() {
				for range 100 {
					Yield()
				}
				end()
			})
		},
		"in the global queue": func(r *Runtime, end func()) {
			go func() { start(t, r, end) }()
		},
		"the oldest that has not started": func(r *Runtime, end func()) {
			var stop atomic.Bool
			start(t, r, func() { end(); stop.Store(true) })
			var chain func()
			chain = func() { // the newest goes first, and there is always one
				if !stop.Load() {
					start(t, r, chain)
					Yield()
				}
			}
			start(t, r, chain)
		},
		"for a timer": func(r *Runtime, end func()) {
			r.AfterFunc(time.Millisecond, end)
		},
	} {
		t.Run(name, func(t *testing.T) {
			watch(t)
			r := runtimeOf(t, 1)
			var stop atomic.Bool
			join(t, start(t, r, func() {
				a := Current()
				b := start(t, r, func() {
					for !stop.Load() {
						a.Unpark()
						Park()
					}
					a.Unpark()
				})
				Park()
				other(r, func() { stop.Store(true) })
				for !stop.Load() {
					b.Unpark()
					Park()
				}
				b.Unpark()
				join(t, b)
			}))
		})
	}
}
