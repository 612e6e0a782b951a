package futex_test

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"greenthread/futex"
)

// Lock and Unlock by one goroutine, nobody else around.
func BenchmarkUncontended(b *testing.B) {
	b.Run("sync.Mutex", func(b *testing.B) { uncontended(b, new(sync.Mutex)) })
	b.Run("Mutex", func(b *testing.B) { uncontended(b, new(futex.Mutex)) })
	b.Run("sync.RWMutex, reading", func(b *testing.B) { uncontended(b, new(sync.RWMutex).RLocker()) })
	b.Run("RWMutex, reading", func(b *testing.B) {
		var m futex.RWMutex
		for b.Loop() {
			m.RLock()
			//lint:ignore SA2001 as in uncontended
			m.RUnlock()
		}
	})
	b.Run("Semaphore", func(b *testing.B) {
		var s futex.Semaphore
		for b.Loop() {
			s.Release(1)
			s.Acquire()
		}
	})
	b.Run("Cond, signal to nobody", func(b *testing.B) {
		var c futex.Cond
		for b.Loop() {
			c.Signal()
		}
	})
}

func uncontended(b *testing.B, m sync.Locker) {
	for b.Loop() {
		m.Lock()
		//lint:ignore SA2001 what is measured is the pair itself
		m.Unlock()
	}
}

// Many goroutines want one lock, hold it for some 40 ns and do as much without it. The longest wait is that of all of them.
func BenchmarkContended(b *testing.B) {
	for _, n := range []int{2, 4, 16, 64} {
		for name, make := range map[string]func() sync.Locker{
			"sync.Mutex": func() sync.Locker { return new(sync.Mutex) },
			"Mutex":      func() sync.Locker { return new(futex.Mutex) },
		} {
			b.Run(fmt.Sprintf("%d/%s", n, name), func(b *testing.B) { contended(b, make(), n) })
		}
	}
}

func contended(b *testing.B, m sync.Locker, n int) {
	var longest, guarded atomic.Int64
	each := b.N/n + 1
	b.ResetTimer()
	together(n, func(int) {
		var mine time.Duration
		for i := range each {
			if i%8 == 0 { // the clock is dearer than the lock
				start := time.Now()
				m.Lock()
				mine = max(mine, time.Since(start))
			} else {
				m.Lock()
			}
			runtime.KeepAlive(busy(8))
			guarded.Store(guarded.Load() + 1)
			m.Unlock()
			runtime.KeepAlive(busy(8))
		}
		for old := longest.Load(); int64(mine) > old && !longest.CompareAndSwap(old, int64(mine)); old = longest.Load() {
		}
	})
	b.ReportMetric(float64(longest.Load())/1e6, "longest-ms")
	if guarded.Load() != int64(each*n) {
		b.Error("two held the lock")
	}
	runtime.KeepAlive(m)
}

//go:noinline
func busy(n int) (x uint32) {
	x = 3
	for range n * 8 {
		x *= x
	}
	return x
}
