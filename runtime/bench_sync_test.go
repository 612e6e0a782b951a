package runtime

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"
)

// Each primitive beside the one of package sync, or the Go channel. What is called threads
// is run by green threads on one carrier, or on as many as its name says, the rest by
// goroutines. Compare what one run gives, with -count and -cpu 1,2: the machine wavers.

// asThread runs body as a thread of a runtime with that many carriers.
func asThread(b *testing.B, carriers int, body func()) {
	r := runtimeOf(b, carriers)
	th := start(b, r, func() {
		b.ResetTimer()
		body()
		b.StopTimer()
	})
	<-th.Done()
}

// alone measures body, without company, as a goroutine and as a thread.
func alone(b *testing.B, body func(n int)) {
	b.Run("goroutine", func(b *testing.B) { b.ReportAllocs(); body(b.N) })
	b.Run("thread", func(b *testing.B) { b.ReportAllocs(); asThread(b, 1, func() { body(b.N) }) })
}

func BenchmarkMutexAlone(b *testing.B) {
	b.Run("ours", func(b *testing.B) {
		alone(b, func(n int) {
			var m Mutex
			for range n {
				m.Lock()
				m.Unlock()
			}
		})
	})
	b.Run("sync", func(b *testing.B) {
		alone(b, func(n int) {
			var m sync.Mutex
			for range n {
				m.Lock()
				m.Unlock()
			}
		})
	})
}

func BenchmarkRWMutexAlone(b *testing.B) {
	b.Run("ours", func(b *testing.B) {
		alone(b, func(n int) {
			var m RWMutex
			for range n {
				m.RLock()
				m.RUnlock()
			}
		})
	})
	b.Run("sync", func(b *testing.B) {
		alone(b, func(n int) {
			var m sync.RWMutex
			for range n {
				m.RLock()
				m.RUnlock()
			}
		})
	})
}

func BenchmarkWaitGroupAlone(b *testing.B) {
	b.Run("ours", func(b *testing.B) {
		alone(b, func(n int) {
			var wg WaitGroup
			for range n {
				wg.Add(1)
				wg.Done()
				wg.Wait()
			}
		})
	})
	b.Run("sync", func(b *testing.B) {
		alone(b, func(n int) {
			var wg sync.WaitGroup
			for range n {
				wg.Add(1)
				wg.Done()
				wg.Wait()
			}
		})
	})
}

func BenchmarkSemaphoreAlone(b *testing.B) {
	b.Run("ours", func(b *testing.B) {
		alone(b, func(n int) {
			s := NewSemaphore(1)
			for range n {
				_ = s.Acquire(context.Background(), 1)
				s.Release(1)
			}
		})
	})
	b.Run("chan", func(b *testing.B) { // as Go programs do it
		alone(b, func(n int) {
			s := make(chan struct{}, 1)
			for range n {
				s <- struct{}{}
				<-s
			}
		})
	})
}

func BenchmarkChanAlone(b *testing.B) {
	b.Run("ours", func(b *testing.B) {
		alone(b, func(n int) {
			c := NewChan[int](1)
			for i := range n {
				c.Send(i)
				c.Recv()
			}
		})
	})
	b.Run("chan", func(b *testing.B) {
		alone(b, func(n int) {
			c := make(chan int, 1)
			for i := range n {
				c <- i
				<-c
			}
		})
	})
}

func BenchmarkSelectAlone(b *testing.B) {
	b.Run("ours", func(b *testing.B) {
		alone(b, func(n int) {
			c, d := NewChan[int](1), NewChan[int](1)
			var v int
			cases := []Case{c.RecvCase(&v, nil), d.RecvCase(&v, nil)}
			for i := range n {
				c.Send(i)
				Select(cases...)
			}
		})
	})
	b.Run("chan", func(b *testing.B) {
		alone(b, func(n int) {
			c, d := make(chan int, 1), make(chan int, 1)
			for i := range n {
				c <- i
				select {
				case <-c:
				case <-d:
				}
			}
		})
	})
}

// company runs clients that share the turns, as threads and as goroutines. Each time
// setup says what a client does.
func company(b *testing.B, clients int, setup func(b *testing.B) func(client, turns int)) {
	run := func(b *testing.B, start func(fn func())) {
		body := setup(b)
		b.ReportAllocs()
		var wg sync.WaitGroup
		wg.Add(clients)
		b.ResetTimer()
		for i := range clients {
			start(func() {
				defer wg.Done()
				body(i, (b.N+clients-1-i)/clients)
			})
		}
		wg.Wait()
		b.StopTimer()
	}
	b.Run("goroutines", func(b *testing.B) { run(b, func(fn func()) { go fn() }) })
	for _, carriers := range []int{1, 2} {
		b.Run(fmt.Sprintf("threads-%d", carriers), func(b *testing.B) {
			r := runtimeOf(b, carriers)
			run(b, func(fn func()) { start(b, r, fn) })
		})
	}
}

// BenchmarkChanPingPong is a round trip over two channels.
func BenchmarkChanPingPong(b *testing.B) {
	for _, capacity := range []int{0, 1} {
		b.Run(fmt.Sprintf("capacity=%d/ours", capacity), func(b *testing.B) {
			company(b, 2, func(b *testing.B) func(int, int) {
				ping, pong := NewChan[int](capacity), NewChan[int](capacity)
				return func(client, _ int) {
					for i := range b.N {
						if client == 0 {
							ping.Send(i)
							pong.Recv()
						} else {
							ping.Recv()
							pong.Send(i)
						}
					}
				}
			})
		})
		b.Run(fmt.Sprintf("capacity=%d/chan", capacity), func(b *testing.B) {
			company(b, 2, func(b *testing.B) func(int, int) {
				ping, pong := make(chan int, capacity), make(chan int, capacity)
				return func(client, _ int) {
					for i := range b.N {
						if client == 0 {
							ping <- i
							<-pong
						} else {
							<-ping
							pong <- i
						}
					}
				}
			})
		})
	}
}

// BenchmarkMutexContended gives, besides the throughput, the longest that anybody has
// waited for the mutex. Every 16th holder gives way.
func BenchmarkMutexContended(b *testing.B) {
	for _, clients := range []int{2, 8, 64} {
		for name, locker := range map[string]func() sync.Locker{
			"ours": func() sync.Locker { return new(Mutex) },
			"sync": func() sync.Locker { return new(sync.Mutex) },
		} {
			b.Run(fmt.Sprintf("clients=%d/%s", clients, name), func(b *testing.B) {
				company(b, clients, func(b *testing.B) func(int, int) {
					l, shared := locker(), 0
					var longest time.Duration
					return func(_, turns int) {
						var worst time.Duration
						for range turns {
							began := time.Now()
							l.Lock()
							worst = max(worst, time.Since(began))
							if shared++; shared%16 == 0 {
								Yield()
							}
							l.Unlock()
							for range 20 {
								_ = rand.Uint32()
							}
						}
						l.Lock()
						longest = max(longest, worst)
						b.ReportMetric(float64(longest.Microseconds()), "us-longest")
						l.Unlock()
					}
				})
			})
		}
	}
}
