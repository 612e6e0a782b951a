//go:build linux

package stackpool

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"
)

// model is what a pool should be: which stacks are in use, which are cached in
// which order, and how deep each has been touched.
type model struct {
	p      *Pool
	w      *watched
	other  *Pool
	max    int
	live   []*Stack
	cached []*Stack // the newest last
	gone   []*Stack
	depth  map[*Stack]int  // pages touched
	warm   map[*Stack]bool // handed out since its memory was given back
	hits   uint64
	misses uint64
	peak   int
}

func TestRandomOperationsAgreeWithAModel(t *testing.T) {
	available := kinds(t)
	rapid.Check(t, func(t *rapid.T) {
		w := watch()
		c := small(rapid.SampledFrom(available).Draw(t, "kind"))
		c.MaxStacks = rapid.SampledFrom([]int{0, 1, 9, 14}).Draw(t, "most")
		p, err := newPool(c, w)
		if err != nil {
			t.Fatal(err)
		}
		other, err := newPool(c, w)
		if err != nil {
			t.Fatal(err)
		}
		m := &model{p: p, w: w, other: other, max: c.MaxStacks, depth: map[*Stack]int{}, warm: map[*Stack]bool{}}
		t.Repeat(map[string]func(*rapid.T){
			"get":     m.get,
			"get2":    m.get, // so that pools grow
			"put":     m.put,
			"misput":  m.misput,
			"occupy":  m.occupy,
			"trim":    m.trim,
			"touch":   m.touch,
			"rearm":   m.rearm,
			"":        m.check,
			"foreign": m.foreign,
		})
		m.close(t)
	})
}

// pick takes one stack of a list.
func pick(t *rapid.T, from []*Stack) *Stack {
	if len(from) == 0 {
		t.Skip("none")
	}
	return rapid.SampledFrom(from).Draw(t, "stack")
}

func (m *model) get(t *rapid.T) {
	s, err := m.p.Get()
	switch n := len(m.cached); {
	case n > 0:
		if err != nil || s != m.cached[n-1] {
			t.Fatalf("got %v, %v", s, err)
		}
		m.cached = m.cached[:n-1]
		m.hits++
	case m.max > 0 && len(m.live) == m.max:
		if !errors.Is(err, ErrStackLimit) {
			t.Fatalf("got %v, %v", s, err)
		}
		return
	default:
		if err != nil || slices.Contains(m.live, s) || slices.Contains(m.gone, s) {
			t.Fatalf("got %v, %v", s, err)
		}
		m.misses++
	}
	m.live = append(m.live, s)
	m.warm[s] = true
	m.peak = max(m.peak, len(m.live))
	m.w.checkStack(t, s)
}

func (m *model) put(t *rapid.T) {
	s := pick(t, m.live)
	if err := m.p.Put(s); err != nil {
		t.Fatal(err)
	}
	m.live = slices.DeleteFunc(m.live, func(x *Stack) bool { return x == s })
	m.cached = append(m.cached, s)
}

func (m *model) misput(t *rapid.T) {
	s := pick(t, slices.Concat(m.cached, m.gone))
	if err := m.p.Put(s); !errors.Is(err, ErrDoublePut) {
		t.Fatal(err)
	}
}

func (m *model) foreign(t *rapid.T) {
	if err := m.other.Put(pick(t, m.live)); !errors.Is(err, ErrForeignStack) {
		t.Fatal(err)
	}
}

func (m *model) occupy(t *rapid.T) {
	s := pick(t, m.live)
	if err := s.Occupy(); err != nil {
		t.Fatal(err)
	}
	if err := m.p.Put(s); !errors.Is(err, ErrInUse) {
		t.Fatal(err)
	}
	if err := s.Vacate(); err != nil {
		t.Fatal(err)
	}
}

func (m *model) touch(t *rapid.T) {
	s := pick(t, m.live)
	page := rapid.IntRange(1, s.Size()/int(pageSize)).Draw(t, "page")
	s.Bytes()[s.Size()-page*int(pageSize)] = 1
	m.depth[s] = max(m.depth[s], page)
}

func (m *model) rearm(t *rapid.T) {
	s := pick(t, m.live)
	raw(t, s.Guard(), s.Bottom()-pageSize, pageSize)
	*(*byte)(foreign(s.Bottom() - 1)) = 1
	if err := s.Rearm(); err != nil {
		t.Fatal(err)
	}
	if !faults(s.Bottom()-1) || faults(s.Bottom()) {
		t.Fatalf("%v", s)
	}
	m.depth[s] = s.Size() / int(pageSize) // reading the bottom has touched it
}

func (m *model) trim(t *rapid.T) {
	keep := rapid.IntRange(0, 6).Draw(t, "keep")
	kept := m.cached[max(0, len(m.cached)-keep):]
	cold := m.cached[:len(m.cached)-len(kept)]
	busy := map[*arena]bool{}
	for _, s := range slices.Concat(m.live, kept) {
		busy[s.arena] = true
	}
	released := 0
	var cached []*Stack
	for _, s := range cold {
		if m.warm[s] {
			released++
			m.warm[s] = false
		}
		m.depth[s] = 0
		if busy[s.arena] {
			cached = append(cached, s)
		} else {
			m.gone = append(m.gone, s)
		}
	}
	m.cached = append(cached, kept...)
	if n, err := m.p.Trim(keep); n != released || err != nil {
		t.Fatalf("released %d, %v, want %d", n, err, released)
	}
}

func (m *model) check(t *rapid.T) {
	got := m.p.Stats()
	if got.Live != len(m.live) || got.Cached != len(m.cached) || got.Hits != m.hits || got.Misses != m.misses ||
		got.Peak != m.peak || got.AdviceRefused != 0 {
		t.Fatalf("%+v, but %d are live, %d cached, %d hits, %d misses, peak %d",
			got, len(m.live), len(m.cached), m.hits, m.misses, m.peak)
	}
	for _, s := range slices.Concat(m.live, m.cached) {
		if n, err := s.HighWater(); n != m.depth[s]*int(pageSize) || err != nil {
			t.Fatalf("%v: high water %d, %v, want %d pages", s, n, err, m.depth[s])
		}
	}
	d := &m.p.main.depot
	if cache := slices.Concat(d.cold, d.warm); !slices.Equal(cache, m.cached) {
		t.Fatalf("the cache is %v, want %v", cache, m.cached)
	}
	mapped := int64(0)
	for _, n := range m.w.mapped {
		mapped += int64(n)
	}
	if mapped != got.Mapped || len(m.w.mapped) != got.Arenas {
		t.Fatalf("%d bytes in %d arenas, but %+v", mapped, len(m.w.mapped), got)
	}
}

func (m *model) close(t *rapid.T) {
	err := m.p.Close()
	if n := len(m.live); n > 0 {
		var le *LiveError
		if !errors.As(err, &le) || le.Live != n {
			t.Fatal(err)
		}
	} else if err != nil {
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

// Each system call of a life is refused in turn, once or from then on, with each
// errno that matters. Whatever happens, the error says what it was, no stack is
// without its guard, and in the end nothing is left.
func TestNoRefusedSystemCallLosesAnything(t *testing.T) {
	used := guardMaps.Load()
	for _, kind := range append([]GuardKind{GuardAuto}, kinds(t)...) {
		c := small(kind)
		all := []unix.Errno{unix.ENOMEM, unix.EINVAL, unix.EPERM, unix.EAGAIN}
		if underRace { // which is slow, and nothing here happens at the same time
			all = all[:1]
		}
		refuseEach(t, c, all...)
		if kind == GuardAuto {
			c.Magazine = 2
			few, errnos := []Policy{Batched(UnmapAll(), 3), Decay(2 * time.Hour)}, []unix.Errno{unix.ENOMEM}
			if os.Getenv(longVariable) != "" {
				few, errnos = policies(), []unix.Errno{unix.ENOMEM, unix.EINVAL, unix.EPERM}
			}
			for _, policy := range few {
				c.Policy = policy
				refuseEach(t, c, errnos...)
			}
		}
	}
	page := int(pageSize)
	for _, special := range []Config{
		{Commit: CommitPerSlot, Policy: UnmapAll()},
		{HugePages: HugeAlways, Prefault: page, Poison: true, Policy: KeepTop(page, true)},
		{Order: LowestFirst, MaxWarm: 2, Poison: true, Policy: Batched(DiscardAll(), 3)},
		{Order: FIFO, Prefault: 1, Colours: 3, Policy: FreeLazily()},
	} {
		c := small(GuardAuto)
		c.Commit, c.HugePages, c.Prefault, c.Poison = special.Commit, special.HugePages, special.Prefault, special.Poison
		c.Order, c.MaxWarm, c.Colours, c.Policy = special.Order, special.MaxWarm, special.Colours, special.Policy
		errnos := []unix.Errno{unix.ENOMEM}
		if os.Getenv(longVariable) != "" {
			errnos = []unix.Errno{unix.ENOMEM, unix.EINVAL, unix.EPERM}
		}
		refuseEach(t, c, errnos...)
	}
	if now := guardMaps.Load(); now != used {
		t.Errorf("%d maps are still accounted for guards", now-used)
	}
}

// refuseEach lives a life for each system call in it and each way to refuse it.
func refuseEach(t *testing.T, c Config, errnos ...unix.Errno) {
	for _, errno := range errnos {
		for _, forever := range []bool{false, true} {
			for n, calls := 1, 1; n <= calls; n++ {
				w := watch()
				refused := ""
				w.refuse = func(k int, call string) error {
					if k == n || forever && k > n {
						refused = call
						return fmt.Errorf("%s: %w", call, errno)
					}
					return nil
				}
				p, err := newPool(c, w)
				if err != nil {
					t.Fatal(err)
				}
				if err := life(t, p, w, errno); err != nil {
					t.Fatalf("%+v, %v at call %d (%s), forever %v: %v", c, errno, n, refused, forever, err)
				}
				w.checkEmpty(t)
				calls = w.calls
				if t.Failed() {
					return
				}
			}
		}
	}
}

// life does all that can be done with a pool, and returns an error that should
// not have been.
func life(t *testing.T, p *Pool, w *watched, errno error) error {
	var live []*Stack
	var bad error
	judge := func(what string, err error) {
		if err == nil || errors.Is(err, errno) || errors.Is(err, ErrLiveStacks) {
			return
		}
		bad = errors.Join(bad, fmt.Errorf("%s: %w", what, err))
	}
	get := func(n int) {
		for i := range n {
			size := p.Stats().StackSize
			if i == 3 {
				size *= 4 // another class
			}
			s, err := p.GetSize(size)
			judge("get", err)
			if err == nil {
				w.checkStack(t, s)
				s.Bytes()[0] = 1
				_, err := s.HighWater()
				judge("high water", err)
				live = append(live, s)
			} else if !errors.Is(err, ErrStackLimit) && outOfMemory(errno) {
				bad = errors.Join(bad, fmt.Errorf("get: no limit is named: %w", err))
			}
		}
	}
	put := func(n int) {
		for range min(n, len(live)) {
			judge("put", p.Put(live[len(live)-1]))
			live = live[:len(live)-1]
		}
	}
	trim := func(keep int) {
		_, err := p.Trim(keep)
		judge("trim", err)
	}
	get(6)
	if len(live) > 0 {
		judge("rearm", live[0].Rearm())
	}
	if len(live) > 1 {
		s := live[len(live)-1]
		judge("set guard", s.SetGuard(int(pageSize)))
		w.checkStack(t, s)
	}
	put(3)
	trim(1)
	get(5)
	put(7)
	trim(0)
	get(2)
	put(1)
	for range 5 {
		if p.rules.Load().plan.Every > 0 {
			p.tick(p.rules.Load())
		}
	}
	get(3)
	_, err := p.HighWater()
	judge("high water of the pool", err)
	_, err = p.Usage()
	judge("usage", err)
	judge("close", p.Close())
	put(len(live))
	// The system recovers.
	w.refuse = nil
	if err := p.Close(); err != nil {
		bad = errors.Join(bad, err)
	}
	if got := p.Stats(); got.Live != 0 || got.Cached != 0 || got.Mapped != 0 || got.Arenas != 0 {
		bad = errors.Join(bad, fmt.Errorf("left over: %+v", got))
	}
	return bad
}

func TestTheFaultsOfTheWatcherAreFound(t *testing.T) {
	w := watch()
	if err := w.advise(pageSize, pageSize, adviceDontNeed); err == nil || !strings.Contains(strings.Join(w.wrong, ""), "did not map") {
		t.Error("foreign memory may be advised")
	}
}
