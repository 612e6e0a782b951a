package runtime

import (
	"sync"
	"testing"
	"time"
)

// TestMutexOfGoHeldAcrossAYield: with one carrier, who waits for the lock blocks it, and the
// holder could not run to give the lock back, were the carrier not replaced.
func TestMutexOfGoHeldAcrossAYield(t *testing.T) {
	watch(t)
	r := runtimeOf(t, 1)
	var mu sync.Mutex
	var threads []*Thread
	sum := 0
	for range 5 {
		threads = append(threads, start(t, r, func() {
			for range 20 {
				mu.Lock()
				sum++
				Yield()
				mu.Unlock()
			}
		}))
	}
	join(t, threads...)
	if sum != 100 {
		t.Errorf("%d", sum)
	}
}

// TestThreadsBehindAHogRunElsewhere: one that never gives way does not hold up those that
// wait behind it on its carrier.
func TestThreadsBehindAHogRunElsewhere(t *testing.T) {
	watch(t)
	r := runtimeOf(t, 2)
	stop := make(chan bool)
	behind := make(chan *Thread, 10)
	hog := start(t, r, func() {
		for range cap(behind) {
			behind <- start(t, r, func() { Yield(); Sleep(time.Microsecond); Yield() })
		}
		for !isClosed(stop) {
		}
	})
	for range cap(behind) {
		join(t, <-behind)
	}
	if hog.over() {
		t.Error("the hog has given way")
	}
	close(stop)
	join(t, hog)
}

// isClosed reports whether c is closed.
func isClosed(c chan bool) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
