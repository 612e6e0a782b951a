//go:build linux

package stackpool

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// everySecond keeps every third stack for good, and half of the others for a while.
type picky struct{}

func (picky) Plan() Plan { return Plan{OnPut: true, Every: time.Hour, From: time.Hour} }

func (picky) Release(i Idle) Release {
	switch {
	case i.Stack.id%3 == 0:
		return Release{}
	case i.Age >= 3*time.Hour:
		return Release{How: Discard}
	case i.Stack.id%3 == 1:
		return Release{How: Lazy, Top: int(pageSize)}
	}
	return Release{}
}

func (picky) String() string { return "picky" }

// policies are all kinds that there are. What they do in the background is so slow
// that only a test makes it happen.
func policies() []Policy {
	page := int(pageSize)
	return []Policy{
		KeepAll(), KeepTop(page, false), KeepTop(page, true), KeepTop(1<<20, false), DiscardAll(), FreeLazily(),
		UnmapAll(), Decay(4 * time.Hour), Batched(DiscardAll(), 3), Batched(UnmapAll(), 4), Batched(KeepTop(page, false), 2),
		Batched(Decay(2*time.Hour), 9), picky{}, Batched(picky{}, 2),
	}
}

// The promises that hold whatever the policy: nobody's memory changes while he has
// it, guards are in force, nothing is counted twice or lost, and in the end nothing
// is left.
func TestEveryPolicyKeepsThePromises(t *testing.T) {
	available := kinds(t)
	check := func(choose func(*rapid.T) Policy) func(t *testing.T) {
		return func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				policy := choose(t)
				w := watch()
				c := small(rapid.SampledFrom(available).Draw(t, "kind"))
				c.Size = 4 * int(pageSize)
				c.ArenaSize = rapid.SampledFrom([]int{1, 40 * int(pageSize)}).Draw(t, "arena")
				c.Policy = policy
				c.Order = rapid.SampledFrom([]Order{LIFO, FIFO, LowestFirst}).Draw(t, "order")
				c.Magazine = rapid.SampledFrom([]int{-1, 2, 5}).Draw(t, "magazine")
				c.MaxWarm = rapid.SampledFrom([]int{0, 0, 2}).Draw(t, "warm")
				c.Poison = rapid.Bool().Draw(t, "poison")
				c.Prefault = rapid.SampledFrom([]int{0, 0, 2 * int(pageSize)}).Draw(t, "prefault")
				c.Commit = rapid.SampledFrom([]Commit{CommitAuto, CommitAtOnce, CommitPerSlot}).Draw(t, "commit")
				p, err := newPool(c, w)
				if err != nil {
					t.Fatal(err)
				}
				m := &policyModel{p: p, w: w, swaps: rapid.Bool().Draw(t, "swaps")}
				t.Repeat(map[string]func(*rapid.T){
					"get": m.get, "get2": m.get, "put": m.put, "put2": m.put, "tick": m.tick, "trim": m.trim,
					"guard": m.guard, "burst": m.burst, "swap": m.swap, "": m.check,
				})
				m.end(t)
			})
		}
	}
	if os.Getenv(longVariable) == "" {
		check(func(t *rapid.T) Policy { return rapid.SampledFrom(policies()).Draw(t, "policy") })(t)
		return
	}
	for _, policy := range policies() {
		t.Run(fmt.Sprint(policy), check(func(*rapid.T) Policy { return policy }))
	}
}

// longVariable, if set, makes tests try harder: all policies equally often, and a
// million stacks.
const longVariable = "GREENTHREAD_STRESS"

// policyModel is what is known of a pool whatever its policy.
type policyModel struct {
	p    *Pool
	w    *watched
	live []*Stack

	swaps   bool // this time policies are swapped
	swapped bool // some stacks may be as another policy has left them
}

func (m *policyModel) get(t *rapid.T) {
	s, err := m.p.Get()
	if err != nil || slices.Contains(m.live, s) {
		t.Fatalf("%v, %v", s, err)
	}
	if s.GuardSize() != int(m.p.main.geometry.guard) {
		t.Fatalf("%v: the guard is not as configured", s)
	}
	if s.heat == heatCold && slices.ContainsFunc(s.Bytes(), func(b byte) bool { return b != 0 }) {
		t.Fatalf("%v should be empty", s)
	}
	m.w.checkStack(t, s)
	fill(s)
	m.live = append(m.live, s)
}

// fill writes the stack's number all over it.
func fill(s *Stack) { copy(s.Bytes(), bytes.Repeat([]byte{byte(s.id)}, s.Size())) }

func (m *policyModel) put(t *rapid.T) {
	s := pick(t, m.live)
	if slices.ContainsFunc(s.Bytes(), func(b byte) bool { return b != byte(s.id) }) {
		t.Fatalf("%v was changed", s)
	}
	if err := m.p.Put(s); err != nil {
		t.Fatal(err)
	}
	m.live = slices.DeleteFunc(m.live, func(x *Stack) bool { return x == s })
}

func (m *policyModel) burst(t *rapid.T) {
	for range 9 {
		m.get(t)
	}
	for range rapid.IntRange(0, 9).Draw(t, "puts") {
		m.put(t)
	}
}

func (m *policyModel) guard(t *rapid.T) {
	s := pick(t, m.live)
	if err := s.SetGuard(rapid.IntRange(1, 5).Draw(t, "pages") * int(pageSize)); err != nil {
		t.Fatal(err)
	}
	m.w.checkStack(t, s)
	fill(s)
}

func (m *policyModel) tick(t *rapid.T) {
	if m.p.rules.Load().plan.Every == 0 {
		t.Skip("nothing happens in the background")
	}
	m.p.tick(m.p.rules.Load())
}

// swap puts another policy in force; what was kept under the one before is as it was.
func (m *policyModel) swap(t *rapid.T) {
	if !m.swaps || rapid.IntRange(0, 3).Draw(t, "really") > 0 {
		t.Skip("never, or seldom")
	}
	if err := m.p.SetPolicy(rapid.SampledFrom(policies()).Draw(t, "policy")); err != nil {
		t.Fatal(err)
	}
	m.swapped = true
}

func (m *policyModel) trim(t *rapid.T) {
	if _, err := m.p.Trim(rapid.IntRange(0, 4).Draw(t, "keep")); err != nil {
		t.Fatal(err)
	}
}

func (m *policyModel) check(t *rapid.T) {
	got := m.p.Stats()
	d := &m.p.main.depot
	if got.Live != len(m.live) || got.Cached != d.len()+m.p.main.inMagazines() || got.Cached+got.Live != m.p.stacks || got.AdviceRefused != 0 {
		t.Fatalf("%+v, but %d are live, %d in the depot, %d in magazines", got, len(m.live), d.len(), m.p.main.inMagazines())
	}
	for _, s := range d.warm[d.head:] {
		if s.heat == heatCold || s.odd {
			t.Fatalf("%v is in the wrong list", s)
		}
	}
	for _, s := range d.cold {
		if n, err := s.HighWater(); n != 0 || err != nil || s.heat != heatCold {
			t.Fatalf("%v: cold, but has %d bytes, %v", s, n, err)
		}
	}
	if limit := m.p.maxWarm; limit > 0 && m.p.main.capacity == 0 && d.warmth() > limit {
		t.Fatalf("%d are warm", d.warmth())
	}
	if m.swapped {
		return
	}
	if m.p.rules.Load().policy == DiscardAll() && d.warmth() > 0 {
		t.Fatalf("%d are warm", d.warmth())
	}
	if top, ok := m.p.rules.Load().policy.(fixed); ok && top.plan.OnPut && top.release.How == Discard && top.release.Top == int(pageSize) {
		for _, s := range d.warm[d.head:] {
			if n, err := s.HighWater(); n > int(pageSize) || err != nil {
				t.Fatalf("%v keeps %d bytes, %v", s, n, err)
			}
		}
	}
	if m.p.rules.Load().plan.Batch > 1 && m.p.rules.Load().plan.OnPut && m.p.main.due > m.p.rules.Load().plan.Batch+maxMagazine {
		t.Fatalf("%d are due", m.p.main.due)
	}
}

func (m *policyModel) end(t *rapid.T) {
	for len(m.live) > 3 {
		if err := m.p.Put(m.live[3]); err != nil {
			t.Fatal(err)
		}
		m.live = slices.Delete(m.live, 3, 4)
	}
	if m.p.rules.Load().plan.Every > 0 && m.p.rules.Load().plan.Until > 0 {
		for range 7 {
			m.p.tick(m.p.rules.Load())
		}
		if got := m.p.Stats(); m.p.main.depot.warmth() != 0 || m.p.asleep.Load() != m.p.rules.Load().number || len(m.live) == 0 && got.Mapped != 0 {
			t.Fatalf("after a long rest: %+v, %d warm, asleep %d", got, m.p.main.depot.warmth(), m.p.asleep.Load())
		}
	}
	if err := m.p.Close(); err != nil && !errors.Is(err, ErrLiveStacks) {
		t.Fatal(err)
	}
	for _, s := range m.live {
		m.w.checkStack(t, s)
		if err := m.p.Put(s); err != nil {
			t.Fatal(err)
		}
	}
	m.w.checkEmpty(t)
}

func TestDecaySparesWhatIsUsedAndThenSleeps(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // one magazine is in use
	w := watch()
	c := small(GuardAuto)
	c.Policy = Decay(4 * time.Hour)
	c.Magazine = 4
	p, err := newPool(c, w)
	if err != nil {
		t.Fatal(err)
	}
	if p.asleep.Load() != 1 {
		t.Error("a new pool does not sleep")
	}
	stacks := get(t, p, 40)
	for _, s := range stacks {
		s.Bytes()[0] = 1
	}
	put(t, p, stacks...)
	for range 8 {
		if p.asleep.Load() != 0 {
			t.Error("it sleeps although there is work")
		}
		put(t, p, get(t, p, 1)...) // always the same
		p.tick(p.rules.Load())
	}
	got := p.Stats()
	if warm := p.main.depot.warmth(); warm != 0 || got.Cached > 8 || got.Unmapped < 8 || p.main.inMagazines() == 0 {
		t.Errorf("%d are warm in the depot, %d in magazines, %+v", warm, p.main.inMagazines(), got)
	}
	for range 7 {
		p.tick(p.rules.Load())
	}
	if got := p.Stats(); got.Mapped != 0 || got.Cached != 0 || p.asleep.Load() != 1 {
		t.Errorf("%+v, asleep %d", got, p.asleep.Load())
	}
	calls := w.calls
	p.tick(p.rules.Load())
	if w.calls != calls {
		t.Error("an empty pool makes system calls")
	}
	put(t, p, get(t, p, 1)...)
	if p.asleep.Load() != 0 {
		t.Error("a Put did not wake it")
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	p.tick(p.rules.Load())
	if p.asleep.Load() != 1 {
		t.Error("a closed pool does not sleep")
	}
	w.checkEmpty(t)
}

func TestDecayHappensByItself(t *testing.T) {
	p := newTest(t, Config{Policy: Decay(20 * time.Millisecond)})
	stacks := get(t, p, 50)
	for _, s := range stacks {
		s.Bytes()[0] = 1
	}
	put(t, p, stacks...)
	for start := time.Now(); p.Stats().Mapped > 0 || p.asleep.Load() == 0; time.Sleep(time.Millisecond) {
		if time.Since(start) > 10*time.Second {
			t.Fatalf("%+v", p.Stats())
		}
	}
	put(t, p, get(t, p, 5)...)
}

func TestNeighboursAreReleasedTogether(t *testing.T) {
	w := watch()
	p, err := newPool(Config{Policy: Batched(DiscardAll(), 8), Magazine: -1}, w)
	if err != nil {
		t.Fatal(err)
	}
	stacks := get(t, p, 20)
	for _, s := range stacks {
		s.Bytes()[0], s.Bytes()[s.Size()-1] = 1, 1
	}
	for _, i := range []int{3, 1, 5, 0, 4, 2, 7, 6} {
		if w.names["dontneed"] != 0 {
			t.Fatal("too early")
		}
		put(t, p, stacks[i])
	}
	if n := w.names["dontneed"]; n != 1 || p.Stats().Released != 8 {
		t.Errorf("%d calls for 8 neighbours, %+v", n, p.Stats())
	}
	for i, s := range stacks {
		if n, err := s.HighWater(); err != nil || (n == 0) != (i < 8) {
			t.Errorf("%v has %d bytes, %v", s, n, err)
		}
		checkBounds(t, s)
	}
	put(t, p, stacks[8:]...)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	w.checkEmpty(t)
}

func TestLimitsOnWarmStacksHold(t *testing.T) {
	for _, c := range []Config{{MaxWarm: 10}, {MaxWarmBytes: 10*DefaultSize + 100}, {MaxWarm: 10, Order: FIFO}, {MaxWarm: 10, Order: LowestFirst}} {
		c.Magazine = -1
		p := newTest(t, c)
		stacks := get(t, p, 50)
		for _, s := range stacks {
			s.Bytes()[0] = 1
		}
		put(t, p, stacks...)
		resident := 0
		for _, s := range stacks {
			n, err := s.HighWater()
			if err != nil {
				t.Fatal(err)
			}
			if n > 0 {
				resident++
			}
		}
		if got := p.Stats(); resident != 10 || got.Cached != 50 || got.Released != 40 {
			t.Errorf("%+v: %d are resident, %+v", c, resident, got)
		}
	}
}

func TestUnmapAllUnmapsSlotsOfTheirOwnAtOnce(t *testing.T) {
	w := watch()
	p, err := newPool(Config{Policy: UnmapAll(), ArenaSize: 1}, w)
	if err != nil {
		t.Fatal(err)
	}
	put(t, p, get(t, p, 5)...)
	w.checkEmpty(t)
	if got := p.Stats(); got.Unmapped != 5 || got.Released != 5 || got.Cached != 0 {
		t.Errorf("%+v", got)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestZeroedTopsAreZero(t *testing.T) {
	page := int(pageSize)
	p := newTest(t, Config{Policy: KeepTop(2*page, true)})
	s := get(t, p, 1)[0]
	fill(s)
	put(t, p, s)
	if n, err := s.HighWater(); n != 2*page || err != nil {
		t.Errorf("it keeps %d bytes, %v", n, err)
	}
	s = get(t, p, 1)[0]
	if slices.ContainsFunc(s.Bytes(), func(b byte) bool { return b != 0 }) {
		t.Error("something was left")
	}
	put(t, p, s)
}

// odd plans.
type planned Plan

func (p planned) Plan() Plan         { return Plan(p) }
func (planned) Release(Idle) Release { return Release{How: Discard} }

func TestNonsensePlansAreRefused(t *testing.T) {
	for _, plan := range []Plan{{Batch: -1}, {Batch: 1 << 30}, {Every: -1}, {Every: 1}, {Every: time.Hour, From: -1}, {Every: time.Second, Until: 1 << 62}} {
		_, err := New(Config{Policy: planned(plan)})
		wantErr(t, err, ErrConfig, "Policy")
	}
	p := newTest(t, Config{Policy: Batched(nil, 4)})
	put(t, p, get(t, p, 9)...)
	p = newTest(t, Config{Policy: fixed{plan: Plan{OnPut: true}, release: Release{How: 9, Top: -1}}})
	put(t, p, get(t, p, 9)...)
	if got := p.Stats(); got.Released != 0 {
		t.Errorf("an answer that is none was followed: %+v", got)
	}
	for _, h := range []How{Keep, Discard, Lazy, Unmap, 9} {
		if s := h.String(); s == "" || strings.Contains(s, "How(") != (h == 9) {
			t.Errorf("%d is called %q", h, s)
		}
	}
}

// burst takes n stacks, touches two pages of each, and puts them back. It returns
// what was resident at most, and a function that tells what is now.
func burst(t *testing.T, p *Pool, n int) (peak int64, resident func() int64) {
	t.Helper()
	resident = func() int64 {
		t.Helper()
		u, err := p.Usage()
		if err != nil {
			t.Skip(err)
		}
		return u.Resident
	}
	stacks := get(t, p, n)
	for _, s := range stacks {
		s.Bytes()[s.Size()-1] = 1
		s.Bytes()[s.Size()-int(pageSize)-1] = 1
	}
	if peak = resident(); peak != int64(2*n)*int64(pageSize) {
		t.Errorf("%d stacks have %d bytes", n, peak)
	}
	put(t, p, stacks...)
	return peak, resident
}

// A burst, and what is left of it when it has rested: the figure that the default
// policy is for. The clock is turned by hand.
func TestABurstIsForgotten(t *testing.T) {
	p := newTest(t, Config{})
	p.asleep.Store(0) // no timer
	peak, resident := burst(t, p, 20_000)
	for range 7 { // seconds
		p.tick(p.rules.Load())
	}
	if left := resident(); left > peak/100 {
		t.Errorf("of %d bytes %d are left", peak, left)
	}
}

// The same with 100,000 stacks and a real clock; and what the whole process has then,
// with the descriptors and with the garbage that Go keeps until its next collection.
func TestALargeBurstIsForgottenWithinTenSeconds(t *testing.T) {
	if os.Getenv(longVariable) == "" {
		t.Skip("takes 10 seconds and 800 MB: set " + longVariable)
	}
	process := func() int64 { return int64(table("/proc/self/status")["VmRSS"]) }
	p := newTest(t, Config{})
	before := process()
	peak, resident := burst(t, p, 100_000)
	highest := process() - before
	for range 10 {
		time.Sleep(time.Second)
		t.Logf("%.2f%% of the pool's %d bytes, %.2f%% of the process's %d; %v",
			100*float64(resident())/float64(peak), peak, 100*float64(process()-before)/float64(highest), highest, p)
	}
	if left := resident(); left > peak/100 {
		t.Errorf("of %d bytes %d are left", peak, left)
	}
	debug.FreeOSMemory()
	t.Logf("after a collection %.2f%% of the process's bytes", 100*float64(process()-before)/float64(highest))
}

func TestPoliciesAreSwappedInAPoolInUse(t *testing.T) {
	w := watch()
	c := small(GuardAuto)
	c.Policy = KeepAll()
	p, err := newPool(c, w)
	if err != nil {
		t.Fatal(err)
	}
	stacks := get(t, p, 9)
	for _, s := range stacks {
		fill(s)
	}
	put(t, p, stacks[1:]...)
	if got := p.Stats(); got.Warm != 8 || got.Released != 0 {
		t.Errorf("%+v", got)
	}

	// In the background: the ages begin now.
	if err := p.SetPolicy(Decay(4 * time.Hour)); err != nil {
		t.Fatal(err)
	}
	decay := p.rules.Load()
	for range 3 {
		p.tick(decay)
	}
	if got := p.Stats(); got.Warm != 8 {
		t.Errorf("%+v", got)
	}
	p.tick(decay)
	if got := p.Stats(); got.Warm != 0 || got.Mapped != int64(c.ArenaSize) {
		t.Errorf("%+v", got)
	}

	// At each Put.
	if err := p.SetPolicy(DiscardAll()); err != nil {
		t.Fatal(err)
	}
	put(t, p, stacks[0])
	if got := p.Stats(); got.Warm != 0 || got.Released != 9 {
		t.Errorf("%+v", got)
	}
	calls := w.calls
	p.tick(decay) // late
	if w.calls != calls || p.now.Load() != 4 {
		t.Error("the policy before is still at work")
	}

	// Not at all, and again by default.
	if err := p.SetPolicy(KeepAll()); err != nil {
		t.Fatal(err)
	}
	put(t, p, get(t, p, 1)...)
	if got := p.Stats(); got.Warm != 1 {
		t.Errorf("%+v", got)
	}
	if err := p.SetPolicy(nil); err != nil || p.rules.Load().policy != DefaultPolicy() {
		t.Error(err)
	}
	before := p.rules.Load()
	wantErr(t, p.SetPolicy(planned(Plan{Batch: -1})), ErrConfig)
	if p.rules.Load() != before || before.ended {
		t.Error("a plan that cannot be has changed something")
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	wantErr(t, p.SetPolicy(KeepAll()), ErrClosed, p.Name())
	w.checkEmpty(t)
}

// While stacks are taken and put back, and the background works as fast as it can.
func TestPoliciesAreSwappedWhileStacksAreInUse(t *testing.T) {
	w := watch()
	c := small(GuardAuto)
	c.Magazine = 3
	p, err := newPool(c, w)
	if err != nil {
		t.Fatal(err)
	}
	all := append(policies()[:len(policies()):len(policies())], Decay(time.Millisecond), Batched(Decay(time.Millisecond), 3), nil)
	stop := make(chan struct{})
	var users sync.WaitGroup
	for g := range 3 {
		users.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				var mine []*Stack
				for range 1 + i%7 {
					s, err := p.Get()
					if err != nil {
						t.Error(err)
						return
					}
					s.Bytes()[0], s.Bytes()[s.Size()-1] = byte(g), byte(g)
					mine = append(mine, s)
				}
				for _, s := range mine {
					if b := s.Bytes(); b[0] != byte(g) || b[len(b)-1] != byte(g) {
						t.Errorf("%v was changed", s)
					}
					if err := p.Put(s); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	for i := range 60 {
		if err := p.SetPolicy(all[i*7%len(all)]); err != nil {
			t.Error(err)
		}
		time.Sleep(2 * time.Millisecond)
	}
	close(stop)
	users.Wait()
	if err := p.SetPolicy(Decay(time.Millisecond)); err != nil {
		t.Error(err)
	}
	for start := time.Now(); p.Stats().Mapped > 0; time.Sleep(time.Millisecond) {
		if time.Since(start) > 10*time.Second {
			t.Fatalf("the last policy does not work: %v", p)
		}
	}
	if got := p.Stats(); got.Live != 0 || got.AdviceRefused != 0 {
		t.Errorf("%+v", got)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	w.checkEmpty(t)
}
