package runtime

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"
)

// seedsOf returns how many seeds a test of simulations tries.
func seedsOf(n uint64) uint64 {
	if !Backend().Native {
		n /= 200 // a switch takes a hundred times as long
	}
	if raceEnabled || Emulated() {
		n /= 10
	}
	if os.Getenv("GREENTHREAD_STRESS") != "" {
		n *= 20
	}
	return n
}

// briefly is a context of a simulation that ends some time between now and very soon.
func briefly(random *rand.Rand) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(context.Background())
	d := time.Duration(random.IntN(5)) * 15 * time.Microsecond
	if d == 0 {
		cancel(context.DeadlineExceeded)
		return ctx, func() {}
	}
	timer := AfterFunc(d, func() { cancel(context.DeadlineExceeded) })
	return ctx, func() {
		timer.Stop()
		cancel(nil)
	}
}

// aMoment is where a thread of a simulation was at what time.
type aMoment struct {
	client, round int
	at            time.Time
}

// playSimulated plays a random program in a simulation; everything depends on seed. It
// returns in which order things have happened.
func playSimulated(t *testing.T, seed uint64) (order []aMoment) {
	const clients, most = 5, 12
	random := rand.New(rand.NewPCG(seed, 1))
	s := newStage(t, clients*most)
	acts := acts
	if !native() {
		acts = acts[:len(acts)-2] // a coroutine is a goroutine there, which holds up the simulation where it waits
	}
	err := Simulate(seed, func() {
		var all WaitGroup
		for client := range clients {
			steps := make([]int, random.IntN(most))
			for i := range steps {
				steps[i] = random.IntN(len(acts) * 50)
			}
			mine := rand.New(rand.NewPCG(seed, 2+uint64(client)))
			if err := all.Go(func() {
				for round, step := range steps {
					order = append(order, aMoment{client, round, Now()})
					ctx, cancel := briefly(mine)
					acts[step%len(acts)](s, client*most+round, step/len(acts), ctx)
					cancel()
				}
			}); err != nil {
				panic(err)
			}
		}
		all.Wait()
	})
	if err != nil {
		t.Fatal(err)
	}
	s.check(t)
	return order
}

// TestSimulationsOfRandomPrograms looks for the interleavings in which a primitive loses
// something, or somebody; and each is the same again.
func TestSimulationsOfRandomPrograms(t *testing.T) {
	dog := watch(t)
	for seed := range seedsOf(20_000) {
		dog.moves()
		order := playSimulated(t, seed)
		if seed%10 == 0 && !slices.Equal(order, playSimulated(t, seed)) {
			t.Fatalf("seed %d is not the same again", seed)
		}
		if t.Failed() {
			t.Fatalf("with seed %d", seed)
		}
	}
}

// simulations that must pass with every seed. Each panics when something is wrong.
var mustPass = map[string]func(random *rand.Rand){
	"park: no token is lost": func(random *rand.Rand) {
		me := Current()
		var wg WaitGroup
		for round := range 4 {
			d := time.Duration(random.IntN(4))
			_ = wg.Go(func() { Sleep(d); me.Unpark() })
			got := 0
			for range 3 {
				ctx, cancel := briefly(random)
				if round%2 == 0 && ParkTimeout(time.Duration(1+random.IntN(3))) || round%2 != 0 && ParkContext(ctx) == nil {
					got++
				}
				cancel()
			}
			wg.Wait()
			if ParkTimeout(0) {
				got++
			}
			if got != 1 {
				panic(got)
			}
		}
	},
	"semaphore: who gives up is not in the way": func(random *rand.Rand) {
		s := NewSemaphore(3)
		_ = s.Acquire(context.Background(), 2)
		var wg WaitGroup
		for i := range 4 {
			ctx, cancel := briefly(random)
			_ = wg.Go(func() {
				defer cancel()
				if i%2 == 0 { // what it wants is only there when it has long given up
					if s.Acquire(ctx, 3) == nil {
						panic("3 permits of 1")
					}
				} else if err := s.Acquire(context.Background(), 1); err != nil {
					panic(err)
				} else {
					s.Release(1)
				}
			})
		}
		wg.Wait()
		s.Release(2)
	},
	"join: the end or the context": func(random *rand.Rand) {
		ended := false
		th, _ := Current().task.rt.Go(func() { Sleep(30 * time.Microsecond); ended = true })
		var wg WaitGroup
		for range 3 {
			ctx, cancel := briefly(random)
			_ = wg.Go(func() {
				defer cancel()
				if err := th.Join(ctx); err == nil && !ended || err != nil && err != context.DeadlineExceeded {
					panic(err)
				}
			})
		}
		wg.Wait()
		if err := th.Join(context.Background()); err != nil {
			panic(err)
		}
	},
	"close: what was sent is received": func(random *rand.Rand) {
		c := NewChan[int](random.IntN(3))
		sent, got := 0, 0
		var wg WaitGroup
		for range 3 {
			_ = wg.Go(func() {
				defer func() {
					if v := recover(); v != nil && v != "greenthread: send on closed Chan" {
						panic(v)
					}
				}()
				for range 3 {
					c.Send(1)
					sent++
				}
			})
		}
		for range 2 {
			ctx, cancel := briefly(random)
			_ = wg.Go(func() {
				defer cancel()
				for {
					v, ok, err := c.RecvContext(ctx)
					if err != nil || !ok {
						return
					}
					got += v
				}
			})
		}
		d := time.Duration(random.IntN(60)) * time.Microsecond
		_ = wg.Go(func() { Sleep(d); c.Close() })
		wg.Wait()
		for v := range c.All() {
			got += v
		}
		if sent != got {
			panic([2]int{sent, got})
		}
	},
	"select: one case, once": func(random *rand.Rand) {
		a, b := NewChan[int](0), NewChan[int](1)
		var wg WaitGroup
		sent, got := 0, 0
		for range 4 {
			ctx, cancel := briefly(random)
			after := time.Duration(random.IntN(40)) * time.Microsecond
			_ = wg.Go(func() {
				defer cancel()
				for range 3 {
					var v int
					switch Select(a.SendCase(1), b.RecvCase(&v, nil), b.SendCase(1), a.RecvCase(&v, nil), DoneCase(ctx), AfterCase(after)) {
					case 0, 2:
						sent++
					case 1, 3:
						got += v
					}
				}
			})
		}
		wg.Wait()
		if v, ok, _ := b.TryRecv(); ok {
			got += v
		}
		if sent != got {
			panic([2]int{sent, got})
		}
	},
	"timers: started or stopped": func(random *rand.Rand) {
		ran, stopped, began := 0, 0, Now()
		var wg WaitGroup
		const n = 6
		for range n {
			d := time.Duration(random.IntN(5))
			later := time.Duration(random.IntN(5))
			reset := random.IntN(2) == 0
			_ = wg.Go(func() {
				due := Now().Add(d)
				t := AfterFunc(d, func() {
					if Now().Before(due) {
						panic(Now().Sub(began))
					}
					ran++
				})
				Sleep(later)
				if reset && t.Stop() {
					due = Now().Add(3)
					if t.Reset(3) {
						panic("it was stopped, and waits")
					}
					Sleep(3)
				}
				if t.Stop() {
					stopped++
				}
			})
		}
		wg.Wait()
		Sleep(20)
		if ran+stopped != n {
			panic([2]int{ran, stopped})
		}
	},
	"ticker: no tick after Stop": func(random *rand.Rand) {
		t := NewTicker(time.Duration(1 + random.IntN(3)))
		for range 3 {
			t.C.Recv()
		}
		t.Stop()
		t.C.TryRecv()
		Sleep(10)
		if _, _, done := t.C.TryRecv(); done {
			panic("a tick")
		}
		t.Reset(2)
		t.C.Recv() // and nobody stops it
	},
	"ticker: stopped while it ticks": func(random *rand.Rand) {
		t := NewTicker(1)
		var wg WaitGroup
		_ = wg.Go(func() { t.C.Recv() })
		d := time.Duration(1 + random.IntN(3))
		_ = wg.Go(func() {
			Sleep(d)
			t.Reset(2)
			t.C.Recv()
			t.Stop()
			t.C.TryRecv()
			Yield()
			if _, _, done := t.C.TryRecv(); done {
				panic("a tick")
			}
		})
		wg.Wait()
	},
	"group: the first error ends it": func(random *rand.Rand) {
		broken := errors.New("broken")
		g, ctx := WithContext(context.Background())
		g.SetLimit(1 + random.IntN(3))
		running := 0
		for i := range 5 {
			g.Go(func() error {
				running++
				defer func() { running-- }()
				if i == 2 {
					return broken
				}
				return SleepContext(ctx, time.Duration(i)*time.Microsecond)
			})
		}
		if err := g.Wait(); err != broken || running != 0 || context.Cause(ctx) != broken {
			panic(err)
		}
	},
	"rwmutex, semaphore, barrier: who gives up leaves nothing": func(random *rand.Rand) {
		var rw RWMutex
		sem, barrier := NewSemaphore(2), NewBarrier(2)
		readers, writers, met, last := 0, 0, 0, 0
		var wg WaitGroup
		for range 4 {
			ctx, cancel := briefly(random)
			mine := rand.New(rand.NewPCG(random.Uint64(), 0))
			_ = wg.Go(func() {
				defer cancel()
				for range 3 {
					switch mine.IntN(4) {
					case 0:
						if rw.LockContext(ctx) == nil {
							if writers++; writers != 1 || readers != 0 {
								panic("a writer beside others")
							}
							Sleep(5 * time.Microsecond)
							writers--
							rw.Unlock()
						}
					case 1:
						if rw.RLockContext(ctx) == nil {
							if readers++; writers != 0 {
								panic("a reader beside a writer")
							}
							Sleep(5 * time.Microsecond)
							readers--
							rw.RUnlock()
						}
					case 2:
						if n := 1 + mine.IntN(2); sem.Acquire(ctx, n) == nil {
							Sleep(5 * time.Microsecond)
							sem.Release(n)
						}
					default:
						first, err := barrier.Wait(ctx)
						if err == nil {
							met++
						}
						if first {
							last++
						}
					}
				}
			})
		}
		wg.Wait()
		if !rw.TryLock() || !sem.TryAcquire(2) || met != 2*last {
			panic("something is left")
		}
	},
}

func TestSimulationsThatMustPass(t *testing.T) {
	for name, body := range mustPass {
		t.Run(name, func(t *testing.T) {
			dog := watch(t)
			for seed := range seedsOf(10_000) {
				dog.moves()
				if err := Simulate(seed, func() { body(rand.New(rand.NewPCG(seed, 7))) }); err != nil {
					var d *DeadlockError
					if errors.As(err, &d) {
						t.Logf("%s", d.Dump)
					}
					t.Fatal(err)
				}
			}
		})
	}
}
