package futex_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"greenthread/futex"
)

func TestUnparkBeforeParkIsKept(t *testing.T) {
	onEachKernel(t, func(t *testing.T) {
		var p futex.Parker
		p.Unpark()
		p.Park()
		if p.ParkUntil(0) {
			t.Error("the token was there twice")
		}
	})
}

func TestTokensDoNotAddUp(t *testing.T) {
	onEachKernel(t, func(t *testing.T) {
		var p futex.Parker
		p.Unpark()
		p.Unpark()
		p.Park()
		if p.ParkUntil(0) {
			t.Error("two Unparks left two tokens")
		}
	})
}

// A Parker with nobody else around is a boolean.
func TestAloneAParkerIsAFlag(t *testing.T) {
	watchdog(t)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	rapid.Check(t, func(t *rapid.T) {
		var p futex.Parker
		flag := false
		took := func(got bool) {
			if got != flag {
				t.Fatalf("took a token: %v, there was one: %v", got, flag)
			}
			flag = false
		}
		t.Repeat(map[string]func(*rapid.T){
			"Unpark":        func(*rapid.T) { p.Unpark(); flag = true },
			"Park":          func(*rapid.T) { p.Unpark(); flag = true; p.Park(); flag = false },
			"poll":          func(*rapid.T) { took(p.ParkUntil(0)) },
			"past deadline": func(*rapid.T) { took(p.ParkUntil(futex.After(-time.Second))) },
			"near deadline": func(*rapid.T) { took(p.ParkUntil(futex.After(time.Microsecond))) },
			"cancelled":     func(*rapid.T) { took(p.ParkContext(cancelled) == nil) },
			"stray recall":  func(*rapid.T) { futex.Recall(&p) },
		})
	})
}

func TestUnparkEndsASleep(t *testing.T) {
	onEachKernel(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		for name, park := range map[string]func(p *futex.Parker) bool{
			"Park":        func(p *futex.Parker) bool { p.Park(); return true },
			"ParkUntil":   func(p *futex.Parker) bool { return p.ParkUntil(futex.After(time.Hour)) },
			"Never":       func(p *futex.Parker) bool { return p.ParkUntil(futex.Never) },
			"ParkContext": func(p *futex.Parker) bool { return p.ParkContext(ctx) == nil },
		} {
			t.Run(name, func(t *testing.T) {
				var p futex.Parker
				join := parkedIn(&p, func() {
					if !park(&p) {
						t.Error("woke without the token")
					}
				})
				p.Unpark()
				join()
			})
		}
	})
}

func TestParkUntilKeepsToItsDeadline(t *testing.T) {
	onEachKernel(t, func(t *testing.T) {
		var p futex.Parker
		for _, d := range []time.Duration{0, time.Microsecond, 50 * time.Microsecond, 3 * time.Millisecond} {
			deadline := futex.After(d)
			if p.ParkUntil(deadline) {
				t.Error("took a token that nobody left")
			}
			if left := deadline.Until(); left > 0 {
				t.Errorf("gave up %v before the deadline", left)
			}
		}
	})
}

func TestParkContextEndsWithItsContext(t *testing.T) {
	onEachKernel(t, func(t *testing.T) {
		var p futex.Parker
		ctx, cancel := context.WithCancel(t.Context())
		join := parkedIn(&p, func() {
			if err := p.ParkContext(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		})
		cancel()
		join()
		if err := p.ParkContext(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("with a context that is done: got %v", err)
		}

		ctx, cancel = context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if err := p.ParkContext(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("with a timeout: got %v", err)
		}
	})
}

func TestATokenOutranksADoneContext(t *testing.T) {
	var p futex.Parker
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p.Unpark()
	if err := p.ParkContext(ctx); err != nil {
		t.Errorf("got %v", err)
	}
}

// An old context's recall that arrives late meets another sleep, and must not end it.
func TestStrayRecallDoesNotEndAPark(t *testing.T) {
	onEachKernel(t, func(t *testing.T) {
		var p futex.Parker
		var over atomic.Bool
		join := parkedIn(&p, func() {
			p.Park()
			over.Store(true)
		})
		for range 100 {
			futex.Recall(&p)
			eventually(func() bool { return futex.Asleep(&p) }) // again, and not awake in a loop
		}
		if over.Load() {
			t.Error("Park returned without a token")
		}
		p.Unpark()
		join()
	})
}

// A token goes round among n goroutines. One lost wake-up, and it stands still.
func TestNoWakeIsLostInARing(t *testing.T) {
	onEachKernel(t, func(t *testing.T) {
		for _, n := range []int{2, 3, 8} {
			ring := make([]futex.Parker, n)
			count := 0 // passed on with the token: the race detector sees whether Unpark to Park orders it
			var all sync.WaitGroup
			laps := rounds(6000) / n
			for i := range ring {
				all.Go(func() {
					for range laps {
						ring[i].Park()
						count++
						ring[(i+1)%n].Unpark()
					}
				})
			}
			ring[0].Unpark()
			all.Wait()
			if count != laps*n {
				t.Errorf("%d goroutines: %d steps, want %d", n, count, laps*n)
			}
		}
	})
}

// Several goroutines post work and unpark one worker, which parks when it finds none.
func TestNoWakeIsLostAmongManyUnparkers(t *testing.T) {
	onEachKernel(t, func(t *testing.T) {
		for _, producers := range []int{1, 3, 7} {
			var (
				p       futex.Parker
				work    atomic.Int64
				all     sync.WaitGroup
				each    = rounds(20000)
				total   = int64(producers * each)
				ctx, no = context.WithCancel(t.Context())
			)
			defer no()
			for i := range producers {
				all.Go(func() {
					for k := range each {
						work.Add(1)
						p.Unpark()
						if k%97 == i {
							runtime.Gosched()
						}
					}
				})
			}
			done := int64(0)
			for n := 0; done < total; n++ {
				if got := work.Swap(0); got > 0 {
					done += got
					continue
				}
				switch n % 3 { // three ways to wait, in turn
				case 0:
					p.Park()
				case 1:
					p.ParkUntil(futex.After(time.Hour))
				default:
					p.ParkContext(ctx)
				}
			}
			all.Wait()
		}
	})
}

// A timeout and an Unpark race for one sleeper. Whoever wins, the token is taken once: by the ParkUntil that was raced
// for, or by the next one.
func TestTimeoutAndWakeHaveOneWinner(t *testing.T) {
	onEachKernel(t, func(t *testing.T) {
		withoutSpinning(t)
		var p futex.Parker
		won, lost := 0, 0
		race(rounds(8000),
			func() {
				took := p.ParkUntil(futex.After(time.Duration(rand.IntN(60)) * time.Microsecond))
				if took {
					won++
				} else {
					lost++
					p.Park() // hangs if the token is lost
				}
				if p.ParkUntil(0) {
					t.Error("one Unpark, two tokens")
				}
			},
			p.Unpark)
		t.Logf("the wake won %d times, the timeout %d", won, lost)
	})
}

// The same with the end of a context.
func TestCancellationAndWakeHaveOneWinner(t *testing.T) {
	onEachKernel(t, func(t *testing.T) {
		withoutSpinning(t)
		var p futex.Parker
		won, lost := 0, 0
		race(rounds(4000),
			func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rand.IntN(60))*time.Microsecond)
				defer cancel()
				if err := p.ParkContext(ctx); err == nil {
					won++
				} else {
					lost++
					p.Park()
				}
				if p.ParkUntil(0) {
					t.Error("one Unpark, two tokens")
				}
			},
			p.Unpark)
		t.Logf("the wake won %d times, the context %d", won, lost)
	})
}

// race runs here and there n times, each pair at about the same time, there up to 150 us later.
func race(n int, here, there func()) {
	start, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for range start {
			for until := futex.After(time.Duration(rand.IntN(150)) * time.Microsecond); !until.Passed(); {
			}
			there()
		}
	}()
	for range n {
		start <- struct{}{}
		here()
	}
	close(start)
	<-done
}

// Unpark to Park is an edge of the memory model: without it, the race detector would find the plain writes below.
func TestUnparkHappensBeforePark(t *testing.T) {
	onEachKernel(t, func(t *testing.T) {
		var ping, pong futex.Parker
		message := 0
		var partner sync.WaitGroup
		n := rounds(4000)
		partner.Go(func() {
			for range n {
				ping.Park()
				message++
				pong.Unpark()
			}
		})
		for i := range n {
			message++
			ping.Unpark()
			if i%2 == 0 {
				pong.Park()
			} else {
				eventually(func() bool { return pong.ParkUntil(futex.After(time.Millisecond)) })
			}
			if message != 2*(i+1) {
				t.Fatalf("after %d round trips the message is %d", i+1, message)
			}
		}
		partner.Wait()
	})
}

func TestTwoParkersOnOneAreCaught(t *testing.T) {
	watchdog(t)
	var p futex.Parker
	join := parkedIn(&p, p.Park)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		p.ParkUntil(futex.After(time.Hour))
	}()
	p.Unpark()
	join() // and the first one is none the worse
}

func TestEachMissShortensTheLook(t *testing.T) {
	watchdog(t)
	if runtime.NumCPU() < 2 || runtime.GOMAXPROCS(0) < 2 {
		t.Skip("one CPU")
	}
	var p futex.Parker
	for i := range 3 {
		p.ParkUntil(futex.After(time.Microsecond))
		if got := futex.SpinMisses(&p); got != i+1 {
			t.Fatalf("after %d misses it remembers %d", i+1, got)
		}
	}
}

func TestOneCPUDoesNotSpin(t *testing.T) {
	watchdog(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	new(futex.Parker).ParkUntil(futex.After(time.Microsecond)) // notices
	var p futex.Parker
	p.ParkUntil(futex.After(time.Microsecond))
	if misses := futex.SpinMisses(&p); misses != 0 {
		t.Errorf("%d looks in vain", misses)
	}
}

// With one P, a parker that sleeps keeps the P from the one who is to wake it, unless it lets it run first.
func TestOneCPUStillHandsOver(t *testing.T) {
	watchdog(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var ping, pong futex.Parker
	var partner sync.WaitGroup
	const n = 200
	partner.Go(func() {
		for range n {
			ping.Park()
			pong.Unpark()
		}
	})
	for range n {
		ping.Unpark()
		pong.Park()
	}
	partner.Wait()
}

func TestTheFastPathDoesNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	var p futex.Parker
	if n := testing.AllocsPerRun(1000, func() {
		p.Unpark()
		p.Park()
		p.Unpark()
		p.ParkUntil(futex.Never)
		p.ParkUntil(0)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
