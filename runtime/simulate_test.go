package runtime

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

// lostUpdate is a counter whose increment is not atomic, though each half is locked.
func lostUpdate() {
	var mu Mutex
	var wg WaitGroup
	n := 0
	for range 2 {
		_ = wg.Go(func() {
			mu.Lock()
			old := n
			mu.Unlock()
			mu.Lock()
			n = old + 1
			mu.Unlock()
		})
	}
	wg.Wait()
	if n != 2 {
		panic(fmt.Sprintf("%d instead of 2", n))
	}
}

func TestSimulationFindsALostUpdateAndRepeatsIt(t *testing.T) {
	var failed, passed int
	for seed := range uint64(200) {
		err := Simulate(seed, lostUpdate)
		if err == nil {
			passed++
			continue
		}
		failed++
		var first, again *SimulationError
		var p *PanicError
		if !errors.As(err, &first) || first.Seed != seed || !errors.As(err, &p) || p.Value != "1 instead of 2" {
			t.Fatal(err)
		}
		if failed > 20 {
			continue
		}
		for range 3 {
			if err := Simulate(seed, lostUpdate); !errors.As(err, &again) || again.Steps != first.Steps {
				t.Fatalf("seed %d: %v, then %v", seed, first, err)
			}
		}
	}
	if failed == 0 || passed == 0 {
		t.Errorf("%d seeds find it, %d do not", failed, passed)
	}
}

// TestSimulationFindsADeadlock takes two locks in both orders.
func TestSimulationFindsADeadlock(t *testing.T) {
	found := 0
	for seed := range uint64(200) {
		deferred := 0
		err := Simulate(seed, func() {
			var a, b Mutex
			both := func(x, y *Mutex) func() {
				return func() {
					defer func() { deferred++ }()
					x.Lock()
					y.Lock()
					y.Unlock()
					x.Unlock()
				}
			}
			var wg WaitGroup
			_ = wg.Go(both(&a, &b))
			_ = wg.Go(both(&b, &a))
			wg.Wait()
		})
		if deferred != 2 {
			t.Fatalf("seed %d: %d of 2 threads have run their deferred calls", seed, deferred)
		}
		if err == nil {
			continue
		}
		found++
		var d *DeadlockError
		if !errors.Is(err, ErrDeadlock) || !errors.As(err, &d) || d.Threads != 3 || !strings.Contains(string(d.Dump), "mutex lock") {
			t.Fatalf("%v\n%s", err, d.Dump)
		}
	}
	if found == 0 {
		t.Error("no seed finds it")
	}
}

func TestSimulatedTimeLeaps(t *testing.T) {
	began := time.Now()
	var order []time.Duration
	err := Simulate(1, func() {
		start := Now()
		var wg WaitGroup
		for _, d := range []time.Duration{time.Hour, time.Minute, 24 * time.Hour} {
			_ = wg.Go(func() {
				Sleep(d)
				order = append(order, Now().Sub(start))
			})
		}
		wg.Wait()
		if ParkTimeout(time.Hour) {
			panic("a token")
		}
		order = append(order, Now().Sub(start))
	})
	if want := "[1m0s 1h0m0s 24h0m0s 25h0m0s]"; err != nil || fmt.Sprint(order) != want {
		t.Errorf("%v %v, want %s", err, order, want)
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("it took %v", took)
	}
}

// TestSimulationsOfPrimitives runs what must hold in every interleaving.
func TestSimulationsOfPrimitives(t *testing.T) {
	seeds := seedsOf(2000)
	for name, body := range map[string]func(){
		"mutex": func() {
			var mu Mutex
			var wg WaitGroup
			n, inside := 0, 0
			for range 4 {
				_ = wg.Go(func() {
					for range 3 {
						mu.Lock()
						inside++
						Yield()
						if inside != 1 {
							panic("two are inside")
						}
						inside--
						n++
						mu.Unlock()
					}
				})
			}
			wg.Wait()
			if n != 12 {
				panic(n)
			}
		},
		"channel": func() {
			c := NewChan[int](1)
			var senders, receivers WaitGroup
			sum := 0
			for i := range 3 {
				_ = senders.Go(func() {
					for j := range 3 {
						c.Send(i*3 + j)
					}
				})
			}
			for range 2 {
				_ = receivers.Go(func() {
					for v := range c.All() {
						sum += v
					}
				})
			}
			senders.Wait()
			c.Close()
			receivers.Wait()
			if sum != 36 {
				panic(sum)
			}
		},
		"cond": func() {
			var mu Mutex
			cond := &Cond{L: &mu}
			queue := 0
			var wg WaitGroup
			for range 3 {
				_ = wg.Go(func() {
					mu.Lock()
					for queue == 0 {
						cond.Wait()
					}
					queue--
					mu.Unlock()
				})
			}
			for range 3 {
				mu.Lock()
				queue++
				mu.Unlock()
				cond.Signal()
			}
			wg.Wait()
		},
		"select": func() {
			a, b := NewChan[int](0), NewChan[int](0)
			var wg WaitGroup
			_ = wg.Go(func() { a.Send(1) })
			_ = wg.Go(func() { b.Send(2) })
			sum, v := 0, 0
			for range 2 {
				Select(a.RecvCase(&v, nil), b.RecvCase(&v, nil))
				sum += v
			}
			wg.Wait()
			if sum != 3 {
				panic(sum)
			}
		},
		"park": func() {
			me := Current()
			for range 3 {
				_, _ = here()
				th, err := me.task.rt.Go(func() { me.Unpark() })
				if err != nil {
					panic(err)
				}
				Park()
				_ = th.Join(me.task.rt.ctx)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range seeds {
				if err := Simulate(seed, body); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func TestSimulateRefusesNil(t *testing.T) {
	if err := Simulate(1, nil); !errors.Is(err, ErrBadOption) {
		t.Error(err)
	}
}

func TestASimulationThatHasFailedEndsThoseWhoYieldForEver(t *testing.T) {
	for seed := range uint64(20) {
		ended := false
		err := Simulate(seed, func() {
			defer func() { ended = true }()
			var wg WaitGroup
			_ = wg.Go(func() { panic("gone") })
			for {
				Yield() // for what the other one would have done
			}
		})
		var p *PanicError
		if !errors.As(err, &p) || p.Value != "gone" || !ended {
			t.Fatal(err, ended)
		}
	}
}

func TestAThreadOfASimulationThatIsLockedCannotWait(t *testing.T) {
	if !native() {
		t.Skip("with the portable backend a locked thread does not hold up others")
	}
	for name, wait := range map[string]func(){
		"park":  Park,
		"sleep": func() { Sleep(time.Second) },
		"mutex": func() {
			var mu Mutex
			mu.Lock()
			mu.Lock()
		},
	} {
		t.Run(name, func(t *testing.T) {
			ended := false
			err := Simulate(1, func() {
				defer func() { ended = true }()
				runtime.LockOSThread()
				wait()
			})
			var p *PanicError
			if !errors.As(err, &p) || !strings.Contains(err.Error(), "LockOSThread") || !ended {
				t.Error(err, ended)
			}
		})
	}
}

func TestASimulationThatHasFailedDoesNotWaitForATicker(t *testing.T) {
	err := Simulate(1, func() {
		NewTicker(time.Second)
		var wg WaitGroup
		_ = wg.Go(func() {
			Sleep(time.Minute)
			panic("gone")
		})
		Park()
	})
	var p *PanicError
	if !errors.As(err, &p) || p.Value != "gone" {
		t.Fatal(err)
	}
}

// TestASimulationWithNobodyButTickersIsADeadlock, though time could go on for ever.
func TestASimulationWithNobodyButTickersIsADeadlock(t *testing.T) {
	watch(t)
	err := Simulate(1, func() {
		NewTicker(time.Second)
		t := NewTicker(time.Minute)
		t.C.Recv() // and never again
		locksTwice()
	})
	var d *DeadlockError
	if !errors.As(err, &d) || d.Threads != 1 || !strings.Contains(string(d.Dump), "locksTwice") {
		t.Fatal(err)
	}
}

//go:noinline
func locksTwice() {
	var m Mutex
	m.Lock()
	m.Lock()
}

func TestASimulationWithoutEndEnds(t *testing.T) {
	watch(t)
	for name, body := range map[string]func(){
		"alone":   func() { keepsYielding() },
		"trying":  func() { keepsTrying() },
		"ticker":  func() { goOn(func() { keepsTicking() }); Park() },
		"sleeper": func() { goOn(func() { keepsSleeping() }); NewChan[int](0).Recv() },
	} {
		t.Run(name, func(t *testing.T) {
			ended := false
			err := simulate(1, 10_000, func() {
				defer func() { ended = true }()
				body()
			})
			var e *EndlessError
			var s *SimulationError
			if !errors.As(err, &e) || !errors.As(err, &s) || !ended || !strings.Contains(string(e.Dump), ".keeps") {
				t.Fatalf("%v, ended %v", err, ended)
			}
			if again := simulate(1, 10_000, body); again == nil || again.Error() != err.Error() {
				t.Errorf("%v, then %v", err, again)
			}
		})
	}
}

func goOn(fn func()) {
	if _, err := Current().task.rt.Go(fn); err != nil {
		panic(err)
	}
}

func keepsYielding() {
	for {
		Yield()
	}
}

func keepsTrying() {
	for {
		if ParkTimeout(0) {
			return
		}
	}
}

func keepsTicking() {
	for range NewTicker(time.Second).C.All() {
	}
}

func keepsSleeping() {
	for {
		Sleep(time.Hour)
	}
}

// TestSimulationsSeeTheEndOfContexts, of those that are cancelled at once, always at the
// same step; and they wait for deadlines that are of the real time.
func TestSimulationsSeeTheEndOfContexts(t *testing.T) {
	watch(t)
	for seed := range seedsOf(500) {
		err := Simulate(seed, func() {
			ctx, cancel := context.WithCancel(context.Background())
			var wg WaitGroup
			_ = wg.Go(func() {
				if _, _, err := NewChan[int](0).RecvContext(ctx); err != context.Canceled {
					panic(err)
				}
			})
			_ = wg.Go(func() {
				if Select(NewChan[int](0).SendCase(1), DoneCase(ctx)) != 1 {
					panic("sent")
				}
			})
			_ = wg.Go(cancel)
			wg.Wait()
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	err := Simulate(1, func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		defer cancel()
		if err := ParkContext(ctx); err != context.DeadlineExceeded {
			panic(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	err = Simulate(1, func() {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		_ = ParkContext(ctx) // nobody will
	})
	if !errors.Is(err, ErrDeadlock) {
		t.Fatal(err)
	}
}
