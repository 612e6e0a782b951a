//go:build linux

package stackpool

import (
	"errors"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestTheLastStackPutBackIsTheNextOne(t *testing.T) {
	p := newTest(t, Config{Magazine: -1})
	a := get(t, p, 4)
	put(t, p, a[2], a[0], a[3], a[1])
	b := get(t, p, 5)
	for i, want := range []*Stack{a[1], a[3], a[0], a[2]} {
		if b[i] != want {
			t.Errorf("stack %d is %v, want %v", i, b[i], want)
		}
	}
	put(t, p, b...)
	want := Stats{
		Cached: 5, Warm: 5, Peak: 5, Arenas: 1, Mapped: p.Stats().Mapped, Committed: p.Stats().Committed,
		StackSize: DefaultSize, GuardSize: DefaultGuard, Guard: p.Stats().Guard,
		Hits: 4, FaultsSaved: 4, Misses: 5, Puts: 9, Calls: p.Stats().Calls,
	}
	if got := p.Stats(); got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestWarmGetAndPutAllocateNothingAndMakeNoSystemCall(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // the first Get on each carrier may be a cold one
	w := watch()
	p, err := newPool(Config{}, w)
	if err != nil {
		t.Fatal(err)
	}
	put(t, p, get(t, p, 2)...)
	calls := w.calls
	allocs := testing.AllocsPerRun(1000, func() {
		a, _ := p.Get()
		b, _ := p.Get()
		p.Put(a)
		p.Put(b)
	})
	if allocs != 0 || w.calls != calls {
		t.Errorf("%v allocations, %d system calls", allocs, w.calls-calls)
	}
	if p.main.gets != 2 || p.main.puts != 0 { // the two that were new
		t.Errorf("the depot was asked for %d stacks and given %d", p.main.gets, p.main.puts)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	w.checkEmpty(t)
}

// A hook is paid for by who sets it, and even then not with garbage.
func TestAHookCostsNothingWhereThereIsNone(t *testing.T) {
	if p := newTest(t, Config{}); p.special.Load() || p.onGet {
		t.Error("Get and Put leave the fast path without a hook")
	}
	var told atomic.Int64
	p := newTest(t, Config{Hook: func(e Event) {
		if e.Kind == EventGet || e.Kind == EventPut { // on another P there may be a new one
			told.Add(1)
		}
	}})
	put(t, p, get(t, p, 1)...)
	told.Store(0)
	allocs := testing.AllocsPerRun(1000, func() {
		s, _ := p.Get()
		p.Put(s)
	})
	if n := told.Load(); allocs != 0 || n != 2002 { // AllocsPerRun makes one run more
		t.Errorf("%v allocations, %d events", allocs, n)
	}
}

func TestAPoolDescribesItself(t *testing.T) {
	var p *Pool
	if p.String() != "no pool" {
		t.Error(p.String())
	}
	p, err := New(Config{Name: "the pool", GuardKind: GuardMprotect})
	if err != nil {
		t.Fatal(err)
	}
	s := get(t, p, 2)
	put(t, p, s[0])
	for _, word := range []string{`"the pool"`, "65536", "mprotect", "1 live", "1 cached", "1 arenas", strconv.FormatInt(p.Stats().Mapped, 10)} {
		if !strings.Contains(p.String(), word) {
			t.Errorf("%q does not mention %s", p, word)
		}
	}
	put(t, p, s[1])
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if text := p.String(); !strings.Contains(text, "closed") {
		t.Error(text)
	}
}

func TestDoublePutIsCaught(t *testing.T) {
	p := newTest(t, Config{Name: "mine"})
	s := get(t, p, 1)[0]
	put(t, p, s)
	err := p.Put(s)
	wantErr(t, err, ErrDoublePut, "stack 1", `"mine"`)
	var se *StackError
	if !errors.As(err, &se) || se.Pool != "mine" || se.Op != "put" {
		t.Errorf("%#v", err)
	}
	if got := p.Stats(); got.Live != 0 || got.Cached != 1 {
		t.Errorf("%+v", got)
	}
}

func TestOneOfTwoConcurrentPutsWins(t *testing.T) {
	p := newTest(t, Config{})
	for range 500 {
		s := get(t, p, 1)[0]
		var won, lost atomic.Int32
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				switch err := p.Put(s); {
				case err == nil:
					won.Add(1)
				case errors.Is(err, ErrDoublePut):
					lost.Add(1)
				}
			})
		}
		wg.Wait()
		if won.Load() != 1 || lost.Load() != 2 {
			t.Fatalf("%d won, %d lost", won.Load(), lost.Load())
		}
	}
}

func TestPutToAnotherPoolIsCaught(t *testing.T) {
	a, b := newTest(t, Config{Name: "a"}), newTest(t, Config{Name: "b"})
	s := get(t, a, 1)[0]
	wantErr(t, b.Put(s), ErrForeignStack, `stack 1 of "a"`, `pool "b"`)
	wantErr(t, b.Put(nil), ErrForeignStack, "no stack")
	wantErr(t, b.Put(new(Stack)), ErrForeignStack, "no stack")
	if got := b.Stats(); got.Cached != 0 || got.Puts != 0 {
		t.Errorf("%+v", got)
	}
	put(t, a, s)
}

func TestCloseKeepsLiveStacksUntilTheyArePut(t *testing.T) {
	for _, kind := range kinds(t) {
		w := watch()
		p, err := newPool(small(kind), w)
		if err != nil {
			t.Fatal(err)
		}
		stacks := get(t, p, 13) // in four arenas of four
		for _, s := range stacks {
			s.Bytes()[0] = byte(s.id)
		}
		live := []*Stack{stacks[1], stacks[2], stacks[9]}
		for i, s := range stacks {
			if i != 1 && i != 2 && i != 9 {
				put(t, p, s)
			}
		}
		for range 2 {
			err = p.Close()
			wantErr(t, err, ErrLiveStacks, p.Name(), "3")
			var le *LiveError
			if !errors.As(err, &le) || le.Live != 3 {
				t.Errorf("%#v", err)
			}
		}
		if got := p.Stats(); got.Live != 3 || got.Cached != 0 || got.Arenas != 2 || !got.Closed {
			t.Errorf("%+v", got)
		}
		for _, s := range live {
			if s.Bytes()[0] != byte(s.id) {
				t.Errorf("%v: memory is lost", s)
			}
			w.checkStack(t, s)
			if err := s.Rearm(); err != nil {
				t.Error(err)
			}
		}
		_, err = p.Get()
		wantErr(t, err, ErrClosed, p.Name())
		_, err = p.Trim(0)
		wantErr(t, err, ErrClosed, p.Name())
		wantErr(t, p.Put(stacks[5]), ErrClosed)
		wantErr(t, p.Put(stacks[5]), ErrDoublePut)
		wantErr(t, p.Put(stacks[0]), ErrDoublePut)
		put(t, p, live[0])
		if n, err := live[0].HighWater(); n != 0 || err != nil {
			t.Errorf("memory of a stack that was put after Close: %d, %v", n, err)
		}
		wantErr(t, p.Put(live[0]), ErrDoublePut)
		put(t, p, live[2])
		if got := p.Stats(); got.Live != 1 || got.Arenas != 1 {
			t.Errorf("%+v", got)
		}
		put(t, p, live[1])
		w.checkEmpty(t)
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if got := p.Stats(); got.Mapped != 0 || got.Arenas != 0 || got.Live != 0 {
			t.Errorf("%+v", got)
		}
	}
}

func TestCloseOfAPoolThatWasNeverUsed(t *testing.T) {
	w := watch()
	p, err := newPool(Config{}, w)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil || w.calls != 0 {
		t.Errorf("%v, %d system calls", err, w.calls)
	}
}

func TestTrimDiscardsColdStacksAndUnmapsIdleArenas(t *testing.T) {
	w := watch()
	p, err := newPool(small(GuardAuto), w)
	if err != nil {
		t.Fatal(err)
	}
	stacks := get(t, p, 9) // in three arenas
	for _, s := range stacks {
		s.Bytes()[0] = 1
	}
	put(t, p, stacks[:8]...)

	// The newest, number 8, keeps the second arena.
	if n, err := p.Trim(1); n != 7 || err != nil {
		t.Errorf("released %d, %v", n, err)
	}
	if got := p.Stats(); got.Cached != 4 || got.Arenas != 2 || got.Unmapped != 1 || got.Released != 7 || got.Trims != 1 {
		t.Errorf("%+v", got)
	}
	if n, err := p.Trim(1); n != 0 || err != nil {
		t.Errorf("a second time, released %d, %v", n, err)
	}
	for i, s := range stacks[:8] {
		n, err := s.HighWater()
		switch {
		case i < 4:
			wantErr(t, err, ErrNotLive)
		case i < 7 && n != 0, i == 7 && n != s.Size():
			t.Errorf("%v has %d bytes", s, n)
		}
	}
	// The order is kept: the warm one first, then the cold ones from the newest
	// on.
	for i := range 4 {
		if s := get(t, p, 1)[0]; s != stacks[7-i] {
			t.Errorf("got %v, want %v", s, stacks[7-i])
		}
	}
	// What is live is not touched.
	if n, err := p.Trim(-1); n != 0 || err != nil {
		t.Errorf("released %d, %v", n, err)
	}
	if stacks[7].Bytes()[0] != 1 || stacks[8].Bytes()[0] != 1 {
		t.Error("a live stack lost its memory")
	}
	put(t, p, stacks[4:]...)
	if n, err := p.Trim(0); n != 5 || err != nil {
		t.Errorf("released %d, %v", n, err)
	}
	w.checkEmpty(t)
	put(t, p, get(t, p, 1)...) // and it goes on
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	w.checkEmpty(t)
}

func TestArenasGrowWithThePool(t *testing.T) {
	needAddresses(t)
	w := watch()
	p, err := newPool(Config{Size: 16 << 20, Guard: 1 << 20}, w)
	if err != nil {
		t.Fatal(err)
	}
	stacks := get(t, p, 200)
	if got := p.Stats(); got.Arenas > 8 {
		t.Errorf("%d arenas for 3.4 GB", got.Arenas)
	}
	put(t, p, stacks...)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	w.checkEmpty(t)
}

func TestManyGoroutinesShareAPool(t *testing.T) {
	for _, kind := range kinds(t) {
		w := watch()
		p, err := newPool(small(kind), w)
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		var trimmer, users sync.WaitGroup
		trimmer.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-done:
					return
				case <-time.After(100 * time.Microsecond):
				}
				if _, err := p.Trim(i % 5); err != nil {
					t.Error(err)
				}
				p.Stats()
				if _, err := p.HighWater(); err != nil {
					t.Error(err)
				}
			}
		})
		for g := range 6 {
			users.Go(func() {
				var mine []*Stack
				for i := range 2000 {
					s, err := p.Get()
					if err != nil {
						t.Error(err)
						return
					}
					b := s.Bytes()
					b[0], b[len(b)-1] = byte(g), byte(i)
					mine = append(mine, s)
					if len(mine) > 1+i%7 {
						for _, s := range mine {
							if b := s.Bytes(); b[0] != byte(g) {
								t.Errorf("%v belongs to %d and %d", s, g, b[0])
							}
							if i%50 == 0 {
								if err := s.Rearm(); err != nil {
									t.Error(err)
								}
							}
							if err := p.Put(s); err != nil {
								t.Error(err)
							}
						}
						mine = mine[:0]
					}
				}
				put(t, p, mine...)
			})
		}
		users.Wait()
		close(done)
		trimmer.Wait()
		if got := p.Stats(); got.Live != 0 || got.Hits+got.Misses != 12000 || got.Puts != 12000 {
			t.Errorf("%+v", got)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		w.checkEmpty(t)
	}
}

func TestCloseRacesWithGetAndPut(t *testing.T) {
	for range 50 {
		w := watch()
		p, err := newPool(small(GuardAuto), w)
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for {
					s, err := p.Get()
					if errors.Is(err, ErrClosed) {
						return
					}
					if err != nil {
						t.Error(err)
						return
					}
					s.Bytes()[0] = 1
					if err := p.Put(s); err != nil {
						t.Error(err)
					}
				}
			})
		}
		for p.Stats().Puts < 20 {
		}
		if err := p.Close(); err != nil && !errors.Is(err, ErrLiveStacks) {
			t.Error(err)
		}
		wg.Wait()
		w.checkEmpty(t)
	}
}

func TestRefusedHugePageAdviceIsCounted(t *testing.T) {
	w := watch()
	w.refuse = func(_ int, call string) error {
		if call == "nohugepage" {
			return unix.EINVAL
		}
		return nil
	}
	p, err := newPool(small(GuardAuto), w)
	if err != nil {
		t.Fatal(err)
	}
	stacks := get(t, p, 5)
	if got := p.Stats(); got.AdviceRefused != 2 || got.Arenas != 2 {
		t.Errorf("%+v", got)
	}
	put(t, p, stacks...)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestRefusedDiscardIsCountedToldAndTriedAgain(t *testing.T) {
	w := watch()
	p, err := newPool(small(GuardAuto), w)
	if err != nil {
		t.Fatal(err)
	}
	stacks := get(t, p, 3)
	put(t, p, stacks[:2]...)
	w.refuse = func(_ int, call string) error {
		if call == "dontneed" {
			return unix.EINVAL
		}
		return nil
	}
	n, err := p.Trim(0)
	wantErr(t, err, unix.EINVAL, p.Name())
	if got := p.Stats(); n != 0 || got.AdviceRefused != 2 || got.Cached != 2 {
		t.Errorf("released %d, %+v", n, got)
	}
	w.refuse = nil
	if n, err := p.Trim(0); n != 2 || err != nil {
		t.Errorf("released %d, %v", n, err)
	}
	put(t, p, stacks[2])
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	w.checkEmpty(t)
}

func TestRefusedUnmapIsTriedAgain(t *testing.T) {
	w := watch()
	p, err := newPool(small(GuardAuto), w)
	if err != nil {
		t.Fatal(err)
	}
	stacks := get(t, p, 6)
	w.refuse = func(_ int, call string) error {
		if call == "munmap" {
			return unix.ENOMEM
		}
		return nil
	}
	put(t, p, stacks[:4]...)
	n, err := p.Trim(0)
	wantErr(t, err, unix.ENOMEM, p.Name())
	if got := p.Stats(); n != 4 || got.Cached != 4 || got.Arenas != 2 {
		t.Errorf("released %d, %+v", n, got) // one by one, as the arena would not go
	}
	if s := get(t, p, 1)[0]; s != stacks[3] {
		t.Errorf("got %v", s)
	}
	wantErr(t, p.Close(), ErrLiveStacks)
	put(t, p, stacks[4])
	for _, s := range []*Stack{stacks[3], stacks[5]} { // the last of their arenas
		wantErr(t, p.Put(s), unix.ENOMEM, "put after close")
	}
	wantErr(t, p.Close(), unix.ENOMEM, p.Name())
	w.refuse = nil
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	w.checkEmpty(t)
}

// A program that forgets New gets errors, or nothing, but is not killed.
func TestAPoolThatWasNotMadeSaysSo(t *testing.T) {
	var p Pool
	_, err := p.Get()
	wantErr(t, err, ErrConfig, "New")
	_, err = p.GetSize(1)
	wantErr(t, err, ErrConfig, "New")
	_, err = p.Trim(0)
	wantErr(t, err, ErrConfig, "New")
	_, err = p.Usage()
	wantErr(t, err, ErrConfig, "New")
	wantErr(t, p.Put(new(Stack)), ErrForeignStack)
	if n, err := p.HighWater(); n != 0 || err != nil {
		t.Error(n, err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if got := p.Stats(); got != (Stats{}) || p.ClassStats() != nil || p.Name() != "" {
		t.Errorf("%+v", got)
	}
}
