package futex_test

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"greenthread/futex"
)

// The system call by itself: nobody waits, or the word has changed before the wait, or the deadline has passed.
func BenchmarkSystemCall(b *testing.B) {
	for _, scope := range []futex.Scope{futex.Private, futex.Shared} {
		b.Run(scope.String(), func(b *testing.B) {
			word := new(uint32)
			b.Run("wake nobody", func(b *testing.B) {
				for b.Loop() {
					futex.Wake(word, 1, scope)
				}
			})
			b.Run("wait on a changed word", func(b *testing.B) {
				for b.Loop() {
					futex.Wait(word, 1, scope)
				}
			})
			b.Run("wait until now", func(b *testing.B) {
				for b.Loop() {
					futex.WaitUntil(word, 0, 0, scope)
				}
			})
		})
	}
}

// The round trip on two words by Wait and Wake alone: nothing spins, and nobody lets the partner run first.
func BenchmarkBareRoundTrip(b *testing.B) {
	var ping, pong uint32
	send := func(word *uint32) {
		atomic.StoreUint32(word, 1)
		futex.Wake(word, 1, futex.Private)
	}
	receive := func(word *uint32) {
		for !atomic.CompareAndSwapUint32(word, 1, 0) {
			futex.Wait(word, 0, futex.Private)
		}
	}
	roundTrip(b,
		func() { send(&ping); receive(&pong) },
		func() { receive(&ping); send(&pong) })
}

// What a goroutine that sleeps in the kernel costs: its thread. Memory is what the process has resident, which the first
// round alone tells, since the threads stay: run it by -benchtime 1x.
func BenchmarkThousandSleepers(b *testing.B) {
	const n = 1000
	resident := func() int {
		status, _ := os.ReadFile("/proc/self/statm")
		pages, _ := strconv.Atoi(string(bytes.Fields(status)[1]))
		return pages * os.Getpagesize()
	}
	for range b.N {
		runtime.GC()
		before := resident()
		parkers := make([]futex.Parker, n)
		var all sync.WaitGroup
		for i := range parkers {
			all.Go(parkers[i].Park)
		}
		for i := range parkers {
			eventually(func() bool { return futex.Asleep(&parkers[i]) })
		}
		b.ReportMetric(float64(resident()-before)/n/1024, "KiB/sleeper")
		b.ReportMetric(float64(threads()), "threads")
		start := time.Now()
		for i := range parkers {
			parkers[i].Unpark()
		}
		b.ReportMetric(float64(time.Since(start))/n, "ns/unpark")
		all.Wait()
	}
}

func threads() int {
	tasks, _ := os.ReadDir("/proc/self/task")
	return len(tasks)
}
