package futex_test

import (
	"runtime"
	"sync"
	"testing"

	"greenthread/futex"
)

// The token that is already there: two atomic operations, no system call.
func BenchmarkToken(b *testing.B) {
	var p futex.Parker
	for b.Loop() {
		p.Unpark()
		p.Park()
	}
}

// A round trip between two goroutines that are locked to their kernel threads.
func BenchmarkRoundTrip(b *testing.B) {
	b.Run("parker", func(b *testing.B) {
		parkerRoundTrip(b)
	})
	b.Run("parker without spinning", func(b *testing.B) {
		defer futex.SetSpinning(false)()
		parkerRoundTrip(b)
	})
	b.Run("channel", func(b *testing.B) {
		ping, pong := make(chan struct{}), make(chan struct{})
		roundTrip(b,
			func() { ping <- struct{}{}; <-pong },
			func() { <-ping; pong <- struct{}{} })
	})
}

func parkerRoundTrip(b *testing.B) {
	var ping, pong futex.Parker
	roundTrip(b,
		func() { ping.Unpark(); pong.Park() },
		func() { ping.Park(); pong.Unpark() })
}

// roundTrip times here, b.N times, while another goroutine does there as often. Both keep their kernel threads.
func roundTrip(b *testing.B, here, there func()) {
	n := b.N
	var partner sync.WaitGroup
	partner.Go(func() {
		runtime.LockOSThread() // and never unlock: the thread ends with the goroutine
		for range n {
			there()
		}
	})
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	b.ResetTimer()
	for range n {
		here()
	}
	b.StopTimer()
	partner.Wait()
}

// What a Parker spends on looking, at most, before it sleeps.
func BenchmarkFullLook(b *testing.B) {
	for b.Loop() {
		futex.FullLook()
	}
}

func BenchmarkNow(b *testing.B) {
	for b.Loop() {
		futex.Now()
	}
}

// A token goes round among many; GOMAXPROCS of them can run at once.
func BenchmarkRing(b *testing.B) {
	const n = 8
	b.Run("parker", func(b *testing.B) {
		var ring [n]futex.Parker
		ringRounds(b, n,
			func(i int) { ring[i].Park() },
			func(i int) { ring[i].Unpark() })
	})
	b.Run("channel", func(b *testing.B) {
		var ring [n]chan struct{}
		for i := range ring {
			ring[i] = make(chan struct{}, 1)
		}
		ringRounds(b, n,
			func(i int) { <-ring[i] },
			func(i int) { ring[i] <- struct{}{} })
	})
}

func ringRounds(b *testing.B, n int, wait, pass func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			for range b.N {
				wait(i)
				pass((i + 1) % n)
			}
		})
	}
	b.ResetTimer()
	pass(0)
	all.Wait()
	wait(0)
}
