//go:build linux

package stackpool

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// bothBarriers runs a test with owners that rely on the barrier of outsiders, and
// with owners that have their own.
func bothBarriers(t *testing.T, test func(t *testing.T)) {
	t.Run("asymmetric", test)
	t.Run("symmetric", func(t *testing.T) {
		defer func(was bool) { asymmetric = was }(asymmetric)
		asymmetric = false
		test(t)
	})
}

func TestMagazinesAreBounded(t *testing.T) {
	page := int(pageSize)
	for _, c := range []struct{ size, configured, want int }{
		{64 << 10, 0, 16}, {128 << 10, 0, 8}, {512 << 10, 0, 2}, {8 << 20, 0, 2}, {page, 0, 16},
		{64 << 10, 5, 5}, {64 << 10, 64, 64}, {64 << 10, -1, 0},
	} {
		p := newTest(t, Config{Size: c.size, Magazine: c.configured})
		if got := p.main.capacity; got != uint32(c.want) {
			t.Errorf("stacks of %d, %d configured: magazines of %d, want %d", c.size, c.configured, got, c.want)
		}
	}
	p := newTest(t, Config{})
	put(t, p, get(t, p, 200)...)
	for i := range p.main.magazines {
		if n := p.main.magazines[i].n; n > p.main.capacity {
			t.Errorf("magazine %d holds %d", i, n)
		}
	}
	if got := p.Stats(); got.Cached != 200 || got.Live != 0 || got.Peak != 200 || got.Misses != 200 {
		t.Errorf("%+v", got)
	}
	if n := p.main.depot.len(); n < 200-16*len(p.main.magazines) {
		t.Errorf("the depot holds %d", n)
	}
}

// With one P, a magazine and the depot together are one stack of stacks.
func TestMagazinesKeepTheOrderOfTheirCarrier(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	p := newTest(t, Config{Magazine: 4})
	stacks := get(t, p, 30)
	put(t, p, stacks...)
	slices.Reverse(stacks)
	for i, s := range get(t, p, 30) {
		if s != stacks[i] {
			t.Fatalf("stack %d is %v, want %v", i, s, stacks[i])
		}
	}
	put(t, p, stacks...)
}

// One carrier takes, another puts back: what goes round is bounded.
func TestStacksThatMigrateDoNotPileUp(t *testing.T) {
	bothBarriers(t, func(t *testing.T) {
		p := newTest(t, Config{})
		const turns, depth = 20_000, 8
		pipe := make(chan *Stack, depth)
		var wg sync.WaitGroup
		wg.Go(func() {
			for range turns {
				s, err := p.Get()
				if err != nil {
					t.Error(err)
					break
				}
				pipe <- s
			}
			close(pipe)
		})
		wg.Go(func() {
			for s := range pipe {
				if err := p.Put(s); err != nil {
					t.Error(err)
				}
			}
		})
		wg.Wait()
		got := p.Stats()
		if most := depth + 2 + DefaultMagazine*(len(p.main.magazines)+1); got.Cached > most {
			t.Errorf("%d stacks, want at most %d: %+v", got.Cached, most, got)
		}
		if got.Live != 0 || got.Puts != turns || got.Hits+got.Misses != turns {
			t.Errorf("%+v", got)
		}
	})
}

// One carrier takes and another puts back, at the same time and with few stacks in
// between: what is cached stays bounded, and most calls meet nobody. (If whoever found
// nothing took from the other's magazine, two calls in five would.)
func TestStacksThatMigrateDoNotBounce(t *testing.T) {
	bothBarriers(t, func(t *testing.T) {
		for _, depth := range []int{1, 4, 64} {
			for _, most := range []int{0, depth + 20} { // so that the limit is met, too
				p := newTest(t, Config{MaxStacks: most})
				const turns = 30_000
				ring := make([]atomic.Pointer[Stack], depth)
				wait := func(ready func() bool) {
					for spin := 0; !ready(); spin++ {
						if spin%1000 == 999 {
							runtime.Gosched()
						}
					}
				}
				var wg sync.WaitGroup
				wg.Go(func() {
					for i := range turns {
						var s *Stack
						wait(func() bool {
							var err error
							if s, err = p.Get(); err != nil && most == 0 {
								t.Error(err)
							}
							return s != nil
						})
						wait(func() bool { return ring[i%depth].CompareAndSwap(nil, s) })
					}
				})
				wg.Go(func() {
					for i := range turns {
						var s *Stack
						wait(func() bool { s = ring[i%depth].Swap(nil); return s != nil })
						if err := p.Put(s); err != nil {
							t.Error(err)
						}
					}
				})
				wg.Wait()
				got := p.Stats()
				if n := depth + 2 + DefaultMagazine*(len(p.main.magazines)+1); got.Cached > n || got.Live != 0 {
					t.Errorf("depth %d: want at most %d stacks, %v", depth, n, p)
				}
				if n := p.main.gets + p.main.puts; n > turns/3 {
					t.Errorf("depth %d, limit %d: %d of %d calls went to the depot", depth, most, n, 2*turns)
				}
				if got.Steals > got.Misses/stealAfter {
					t.Errorf("depth %d: %d steals with %d misses", depth, got.Steals, got.Misses)
				}
			}
		}
	})
}

func TestTheLastStacksAreFoundInMagazinesOfOthers(t *testing.T) {
	bothBarriers(t, func(t *testing.T) {
		p := newTest(t, Config{MaxStacks: 12, Magazine: 16})
		put(t, p, get(t, p, 12)...)
		// As if they had been put back on the other carriers.
		n := len(p.main.magazines)
		p.grow.Lock()
		p.main.drain(false)
		p.main.seize()
		for i := 0; p.main.depot.len() > 0; i++ {
			p.main.magazines[i%n].push(p.main.depot.pop())
		}
		p.main.unseize()
		p.grow.Unlock()
		put(t, p, get(t, p, 12)...)
		if got := p.Stats(); got.Misses != 12 || got.Cached != 12 {
			t.Errorf("%+v", got)
		}
	})
}

func TestMorePsThanMagazinesTakeTheDepot(t *testing.T) {
	p := newTest(t, Config{})
	p.main.magazines = nil
	put(t, p, get(t, p, 40)...)
	put(t, p, get(t, p, 40)...)
	if got := p.Stats(); got.Misses != 40 || got.Hits != 40 || got.Puts != 80 || got.Cached != 40 {
		t.Errorf("%+v", got)
	}
}

// Owners and outsiders at the same magazines, as hard as they can: no stack has
// two owners, and none is lost.
func TestOutsidersAndOwnersExcludeEachOther(t *testing.T) {
	bothBarriers(t, func(t *testing.T) {
		w := watch()
		c := small(GuardAuto)
		c.Magazine = 3
		p, err := newPool(c, w)
		if err != nil {
			t.Fatal(err)
		}
		var stop atomic.Bool
		var outsider, owners sync.WaitGroup
		outsider.Go(func() {
			for i := 0; !stop.Load(); i++ {
				p.grow.Lock()
				switch i % 3 {
				case 0:
					p.main.steal()
				case 1:
					p.main.drain(false)
				}
				p.grow.Unlock()
				if got := p.Stats(); got.Live < 0 || got.Cached < 0 {
					t.Errorf("%+v", got)
				}
				if i%20 == 0 {
					if _, err := p.Trim(1); err != nil {
						t.Error(err)
					}
				}
			}
		})
		until := time.Now().Add(300 * time.Millisecond)
		for g := range 4 {
			owners.Go(func() {
				var mine []*Stack
				for i := 0; time.Now().Before(until); i++ {
					for range 1 + i%7 {
						s, err := p.Get()
						if err != nil {
							t.Error(err)
							return
						}
						s.Bytes()[0] = byte(g)
						mine = append(mine, s)
					}
					for _, s := range mine {
						if s.Bytes()[0] != byte(g) {
							t.Errorf("%v has two owners", s)
						}
						if err := p.Put(s); err != nil {
							t.Error(err)
						}
					}
					mine = mine[:0]
				}
			})
		}
		owners.Wait()
		stop.Store(true)
		outsider.Wait()
		got := p.Stats()
		p.grow.Lock()
		p.main.drain(false)
		p.grow.Unlock()
		if n := p.main.depot.len(); got.Live != 0 || n != got.Cached || n != p.main.stacks {
			t.Errorf("%d in the depot, %d exist, %+v", n, p.main.stacks, got)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		w.checkEmpty(t)
	})
}

func TestOrdersOfTheDepot(t *testing.T) {
	for order, want := range map[Order][]int{
		LIFO:        {2, 5, 0, 1, 3, 4},
		FIFO:        {4, 3, 1, 0, 5, 2},
		LowestFirst: {0, 1, 2, 3, 4, 5},
	} {
		t.Run(order.String(), func(t *testing.T) {
			p := newTest(t, Config{Order: order, Magazine: -1})
			for range 5 {
				stacks := get(t, p, 6)
				slices.SortFunc(stacks, func(a, b *Stack) int { return int(a.id) - int(b.id) })
				for _, i := range []int{4, 3, 1, 0, 5, 2} {
					put(t, p, stacks[i])
				}
				for i, s := range get(t, p, 6) {
					if s != stacks[want[i]] {
						t.Fatalf("stack %d is %v, want %v", i, s, stacks[want[i]])
					}
				}
				put(t, p, stacks...)
				// What is kept is what would be taken first, or with FIFO what came
				// last; the others are taken after those.
				if n, err := p.Trim(2); n != 4 || err != nil {
					t.Fatalf("released %d, %v", n, err)
				}
				kept := map[Order][]int{LIFO: {5, 4, 3, 2, 1, 0}, FIFO: {4, 5}, LowestFirst: {0, 1, 2, 3, 4, 5}}[order]
				again := get(t, p, 6)
				for i, k := range kept {
					if again[i] != stacks[k] {
						t.Fatalf("after Trim, stack %d is %v, want %v", i, again[i], stacks[k])
					}
				}
				put(t, p, again...)
				put(t, p, get(t, p, 6)...) // all warm again
			}
		})
	}
	if Order(9).String() != "Order(9)" {
		t.Error("an odd order has no name")
	}
}
