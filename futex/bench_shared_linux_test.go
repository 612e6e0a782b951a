//go:build linux && !futexportable

package futex_test

import (
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"greenthread/futex"
)

func BenchmarkUncontendedShared(b *testing.B) {
	b.Run("SharedMutex", func(b *testing.B) { uncontended(b, noErrors{inArena[futex.SharedMutex]()}) })
	b.Run("SharedRWMutex, reading", func(b *testing.B) {
		m := inArena[futex.SharedRWMutex]()
		for b.Loop() {
			m.RLock()
			m.RUnlock()
		}
	})
	b.Run("SharedSemaphore", func(b *testing.B) {
		s := inArena[futex.SharedSemaphore]()
		for b.Loop() {
			s.Release(1)
			s.Acquire()
		}
	})
}

func BenchmarkContendedShared(b *testing.B) {
	b.Run("4/SharedMutex", func(b *testing.B) { contended(b, noErrors{inArena[futex.SharedMutex]()}, 4) })
}

type noErrors struct{ *futex.SharedMutex }

func (m noErrors) Lock()   { m.SharedMutex.Lock() }
func (m noErrors) Unlock() { m.SharedMutex.Unlock() }

// What one costs that waits for a second in vain: run it by -benchtime 1x.
func BenchmarkIdleSecond(b *testing.B) {
	used := func() time.Duration {
		var ts unix.Timespec
		unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts)
		return time.Duration(ts.Nano())
	}
	for name, wait := range map[string]func(futex.Deadline){
		"Parker":      func(d futex.Deadline) { new(futex.Parker).ParkUntil(d) },
		"Mutex":       func(d futex.Deadline) { m := new(futex.Mutex); m.Lock(); m.LockUntil(d) },
		"SharedMutex": func(d futex.Deadline) { m := inArena[futex.SharedMutex](); m.Lock(); m.LockUntil(d); m.Unlock() },
	} {
		b.Run(name, func(b *testing.B) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			for b.Loop() {
				before := used()
				wait(futex.After(time.Second))
				b.ReportMetric(float64(used()-before)/float64(time.Second)*100, "%CPU")
			}
		})
	}
}
