//go:build linux

package stackpool

import (
	"sync"
	"testing"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"
)

// checkBounds checks, by trying, that a stack is usable between its bounds and
// nowhere else.
func checkBounds(t testing.TB, s *Stack) {
	t.Helper()
	for addr := s.GuardBottom(); addr < s.Bottom(); addr += pageSize {
		if !faults(addr) {
			t.Fatalf("%v: the guard is open at %#x", s, addr)
		}
	}
	for addr := s.Bottom(); addr < s.Top(); addr += pageSize {
		if faults(addr) {
			t.Fatalf("%v: faults at %#x", s, addr)
		}
	}
	if !faults(s.top) { // Top is below it, with colours
		t.Fatalf("%v: nothing guards its top", s)
	}
}

func TestGuardsChangeTheirSizeBetweenUses(t *testing.T) {
	page := int(pageSize)
	for _, kind := range kinds(t) {
		p := newTest(t, Config{Size: 8 * page, Guard: 4 * page, GuardKind: kind})
		stacks := get(t, p, 3)
		s := stacks[1]
		for _, n := range []int{1, 11, 4, 9, 2, 8} {
			if err := s.SetGuard(n*page - 5); err != nil {
				t.Fatal(err)
			}
			if s.GuardSize() != n*page || s.Size() != (12-n)*page || len(s.Bytes()) != s.Size() {
				t.Errorf("%v: want a guard of %d pages", s, n)
			}
			checkBounds(t, s)
			s.Bytes()[0] = 7
			if err := s.Rearm(); err != nil {
				t.Error(err)
			}
			checkBounds(t, s)
		}
		// What has become guard was discarded.
		s.Bytes()[0] = 7
		for _, n := range []int{9, 8} {
			if err := s.SetGuard(n * page); err != nil {
				t.Fatal(err)
			}
		}
		if b := s.Bytes()[0]; b != 0 {
			t.Errorf("%v: the bottom holds %d", s, b)
		}
		put(t, p, stacks...)
		// The next one gets it as configured, also after a Trim.
		stacks = get(t, p, 3)
		for _, x := range stacks {
			if x.GuardSize() != 4*page || x.odd {
				t.Errorf("%v was changed for the next user", x)
			}
			checkBounds(t, x)
		}
		if err := s.SetGuard(page); err != nil {
			t.Fatal(err)
		}
		put(t, p, s)
		if n, err := p.Trim(0); n != 0 || err != nil { // it was lost when it was put back
			t.Errorf("released %d, %v", n, err)
		}
		if got := get(t, p, 1)[0]; got != s || s.GuardSize() != 4*page {
			t.Errorf("%v", got)
		}
		put(t, p, stacks...)
		wantErr(t, s.SetGuard(page), ErrNotLive)
	}
}

func TestImpossibleGuardSizesAreRefused(t *testing.T) {
	page := int(pageSize)
	p := newTest(t, Config{Size: 2 * page, Guard: page})
	s := get(t, p, 1)[0]
	for _, n := range []int{-1, 0, 2*page + 1, 3 * page, 1 << 30} {
		wantErr(t, s.SetGuard(n), ErrConfig, p.Name(), "stack 1")
	}
	checkBounds(t, s)
	if err := s.Occupy(); err != nil {
		t.Fatal(err)
	}
	wantErr(t, s.SetGuard(2*page), ErrNotLive)
	if err := s.Vacate(); err != nil {
		t.Fatal(err)
	}
	put(t, p, s)
	none := newTest(t, Config{GuardKind: GuardNone})
	s = get(t, none, 1)[0]
	wantErr(t, s.SetGuard(page), ErrGuard)
	put(t, none, s)
}

func TestARefusedChangeOfGuardChangesNothing(t *testing.T) {
	page := int(pageSize)
	for _, kind := range kinds(t) {
		w := watch()
		p, err := newPool(small(kind), w)
		if err != nil {
			t.Fatal(err)
		}
		s := get(t, p, 1)[0]
		refuse := func(_ int, call string) error {
			if call == "guard" || call == "unguard" || call == "mprotect" {
				return unix.EPERM
			}
			return nil
		}
		for _, n := range []int{1, 3} {
			w.refuse = refuse
			wantErr(t, s.SetGuard(n*page), unix.EPERM)
			w.checkStack(t, s)
			if s.GuardSize() != 2*page || s.odd {
				t.Errorf("%v", s)
			}
			w.refuse = nil
			if err := s.SetGuard(n * page); err != nil {
				t.Fatal(err)
			}
			w.checkStack(t, s)
			// Now the restoration is refused: the stack is not lost.
			put(t, p, s)
			w.refuse = refuse
			_, err := p.Get()
			wantErr(t, err, unix.EPERM, p.Name())
			w.refuse = nil
			if got := p.Stats(); got.Live != 0 || got.Cached != 1 {
				t.Errorf("%+v", got)
			}
			if got := get(t, p, 1)[0]; got != s {
				t.Errorf("%v", got)
			}
			w.checkStack(t, s)
		}
		put(t, p, s)
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		w.checkEmpty(t)
	}
}

// Any size, any guard, however they are made, and however often they change.
func TestOddSizesAndGuardsAreKeptByAnyPool(t *testing.T) {
	available := append(kinds(t), GuardAuto)
	page := int(pageSize)
	rapid.Check(t, func(r *rapid.T) {
		w := watch()
		c := Config{
			Size:      rapid.IntRange(1, 40*page).Draw(r, "size"),
			Guard:     rapid.IntRange(1, 80*page).Draw(r, "guard"),
			GuardKind: rapid.SampledFrom(available).Draw(r, "kind"),
			Commit:    rapid.SampledFrom([]Commit{CommitAtOnce, CommitPerSlot}).Draw(r, "commit"),
			ArenaSize: rapid.SampledFrom([]int{1, 1 << 20}).Draw(r, "arena"),
			Colours:   rapid.IntRange(0, 64).Draw(r, "colours"),
		}
		p, err := newPool(c, w)
		if err != nil {
			r.Fatal(err)
		}
		var live []*Stack
		for range 3 {
			asked := rapid.IntRange(1, 100*page).Draw(r, "asked")
			s, err := p.GetSize(asked)
			if err != nil || s.Size() < asked {
				r.Fatalf("asked for %d bytes: %v, %v", asked, s, err)
			}
			live = append(live, s)
		}
		for range 6 {
			s := rapid.SampledFrom(live).Draw(r, "stack")
			most := int(s.top-s.low) - page
			bytes := rapid.IntRange(1, most).Draw(r, "to")
			if err := s.SetGuard(bytes); err != nil {
				r.Fatal(err)
			}
			if uintptr(s.GuardSize()) != pages(bytes, 0) {
				r.Fatalf("%v: want a guard of %d bytes", s, bytes)
			}
			for _, s := range live {
				w.checkStack(r, s)
			}
			checkBounds(t, s)
			fill(s)
		}
		for i, s := range live {
			if i < 2 {
				if err := p.Put(s); err != nil {
					r.Fatal(err)
				}
				if live[i], err = p.GetSize(s.Size() / 2); err != nil {
					r.Fatal(err)
				}
				if s := live[i]; uintptr(s.GuardSize()) != pages(c.Guard, 0) {
					r.Fatalf("%v is not as configured", s)
				}
			}
			w.checkStack(r, live[i])
		}
		for _, s := range live {
			if err := p.Put(s); err != nil {
				r.Fatal(err)
			}
		}
		if err := p.Close(); err != nil {
			r.Fatal(err)
		}
		w.checkEmpty(r)
	})
}

// While the guard of a stack grows and shrinks, its lowest page is always closed, and
// so are those of its neighbours.
func TestAGuardIsNeverOpenWhileItChanges(t *testing.T) {
	page := int(pageSize)
	for _, kind := range kinds(t) {
		p := newTest(t, Config{Size: 8 * page, Guard: 2 * page, GuardKind: kind})
		stacks := get(t, p, 3)
		stop := make(chan struct{})
		var watcher sync.WaitGroup
		watcher.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				for _, s := range stacks {
					if !faults(s.GuardBottom()) || !faults(s.Top()) {
						t.Errorf("%v is not guarded", s)
						return
					}
				}
			}
		})
		for i := range 2000 {
			if err := stacks[1].SetGuard((1 + i*5%9) * page); err != nil {
				t.Fatal(err)
			}
		}
		close(stop)
		watcher.Wait()
		put(t, p, stacks...)
	}
}

// Whoever puts a stack back while another changes its guard is refused, or is in time,
// and then the change is refused.
func TestAStackIsNotPutBackWhileItsGuardChanges(t *testing.T) {
	p := newTest(t, Config{Size: 8 * int(pageSize), Guard: 1})
	for i := range 300 {
		s := get(t, p, 1)[0]
		var changed, taken error
		var both sync.WaitGroup
		both.Go(func() { changed = s.SetGuard((2 + i%3) * int(pageSize)) })
		both.Go(func() { taken = p.Put(s) })
		both.Wait()
		switch {
		case taken != nil:
			wantErr(t, taken, ErrInUse)
			if changed != nil {
				t.Fatal(changed)
			}
			put(t, p, s)
		case changed != nil:
			wantErr(t, changed, ErrNotLive)
		}
		s = get(t, p, 1)[0]
		if s.GuardSize() != int(pageSize) {
			t.Fatalf("%v", s)
		}
		checkBounds(t, s)
		put(t, p, s)
	}
}
