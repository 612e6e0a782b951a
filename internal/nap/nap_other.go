//go:build !linux

package nap

import (
	"runtime"
	"time"
)

// For lets others run, about as often as they can be in d.
func For(d time.Duration) {
	for range max(d/time.Microsecond, 1) {
		runtime.Gosched()
	}
}
