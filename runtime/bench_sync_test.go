package runtime

import (
	"sync"
	"testing"
)

// Each primitive beside the one of package sync, or the Go channel. With green in
// the name the callers are threads, on that many carriers, else goroutines.

// asThread runs body as a thread of a runtime with that many carriers.
func asThread(b *testing.B, carriers int, body func()) {
	r := runtimeOf(b, carriers)
	th := start(b, r, body)
	<-th.Done()
}

func BenchmarkMutexUncontended(b *testing.B) {
	b.Run("ours", func(b *testing.B) {
		var m Mutex
		b.ReportAllocs()
		for range b.N {
			m.Lock()
			m.Unlock()
		}
	})
	b.Run("sync", func(b *testing.B) {
		var m sync.Mutex
		b.ReportAllocs()
		for range b.N {
			m.Lock()
			m.Unlock()
		}
	})
	b.Run("green/ours", func(b *testing.B) {
		asThread(b, 1, func() {
			var m Mutex
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				m.Lock()
				m.Unlock()
			}
		})
	})
}

func BenchmarkChanPingPong(b *testing.B) {
	b.Run("green/ours", func(b *testing.B) {
		b.ReportAllocs()
		r := runtimeOf(b, 1)
		ping, pong := NewChan[int](0), NewChan[int](0)
		start(b, r, func() {
			for v := range ping.All() {
				pong.Send(v)
			}
		})
		th := start(b, r, func() {
			b.ResetTimer()
			for i := range b.N {
				ping.Send(i)
				pong.Recv()
			}
			b.StopTimer()
			ping.Close()
		})
		<-th.Done()
	})
	b.Run("goroutines/ours", func(b *testing.B) {
		b.ReportAllocs()
		ping, pong := NewChan[int](0), NewChan[int](0)
		go func() {
			for v := range ping.All() {
				pong.Send(v)
			}
		}()
		for i := range b.N {
			ping.Send(i)
			pong.Recv()
		}
		ping.Close()
	})
	b.Run("goroutines/chan", func(b *testing.B) {
		b.ReportAllocs()
		ping, pong := make(chan int), make(chan int)
		go func() {
			for v := range ping {
				pong <- v
			}
		}()
		for i := range b.N {
			ping <- i
			<-pong
		}
		close(ping)
	})
}
