//go:build linux

package stackpool

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestOverflowIntoTheGuardKillsTheProcess(t *testing.T) {
	for _, kind := range kinds(t) {
		t.Run(kind.String(), func(t *testing.T) {
			out, err := inChild(t, func() {
				p, err := New(Config{GuardKind: kind})
				if err != nil {
					panic(err)
				}
				s, err := p.Get()
				if err != nil {
					panic(err)
				}
				*(*byte)(foreign(s.Bottom())) = 1
				os.Stdout.WriteString("the bottom is usable\n")
				*(*byte)(foreign(s.Bottom() - 1)) = 1
				os.Stdout.WriteString("the guard is usable\n")
			})
			var exit *exec.ExitError
			if !errors.As(err, &exit) || !strings.Contains(out, "the bottom is usable") ||
				!strings.Contains(out, "unexpected fault address") || strings.Contains(out, "the guard is usable") {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

// raw opens memory as a fault handler would, behind the pool's back.
func raw(t tester, kind GuardKind, addr, length uintptr) {
	t.Helper()
	var err error
	if kind == GuardMadvise {
		err = call("madvise", unix.SYS_MADVISE, addr, length, unix.MADV_GUARD_REMOVE)
	} else {
		err = call("mprotect", unix.SYS_MPROTECT, addr, length, unix.PROT_READ|unix.PROT_WRITE)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestRearmRestoresTheWholeGuard(t *testing.T) {
	for _, kind := range kinds(t) {
		p := newTest(t, Config{GuardKind: kind})
		stacks := get(t, p, 3)
		s := stacks[1]
		maps := mapsOf(t, p)
		s.Bytes()[0] = 42
		zone := uintptr(s.GuardSize()) / 2
		for range 2 {
			raw(t, kind, s.Bottom()-zone, zone)
			for addr := s.Bottom() - zone; addr < s.Bottom(); addr++ {
				*(*byte)(foreign(addr)) = 7
			}
			if !faults(s.Bottom()-zone-1) || !faults(s.GuardBottom()) {
				t.Fatalf("%v: more was opened", kind)
			}
			if err := s.Rearm(); err != nil {
				t.Fatal(err)
			}
			for addr := s.GuardBottom(); addr < s.Bottom(); addr += pageSize {
				if !faults(addr) {
					t.Fatalf("%v: guard is open at %#x", kind, addr)
				}
			}
			if faults(s.Bottom()) || s.Bytes()[0] != 42 || faults(stacks[0].Top()-1) {
				t.Fatalf("%v: usable memory was hurt", kind)
			}
		}
		// What was written to the guard is gone, not only out of reach.
		raw(t, kind, s.Bottom()-zone, zone)
		if b := *(*byte)(foreign(s.Bottom() - 1)); b != 0 {
			t.Errorf("%v: the guard still holds %d", kind, b)
		}
		if err := s.Rearm(); err != nil {
			t.Fatal(err)
		}
		if now := mapsOf(t, p); now != maps {
			t.Errorf("%v: %d maps became %d", kind, maps, now)
		}
		if got := p.Stats(); got.Rearms != 3 || got.AdviceRefused != 0 {
			t.Errorf("%v: %+v", kind, got)
		}
		put(t, p, stacks...)
		wantErr(t, s.Rearm(), ErrNotLive, "rearm", "stack 2", p.Name())
	}
}

func TestRearmLeavesUnmappedMemoryAlone(t *testing.T) {
	w := watch()
	p, err := newPool(small(GuardAuto), w)
	if err != nil {
		t.Fatal(err)
	}
	s := get(t, p, 1)[0]
	put(t, p, s)
	if _, err := p.Trim(0); err != nil {
		t.Fatal(err)
	}
	calls := w.calls
	wantErr(t, s.Rearm(), ErrNotLive, "unmapped")
	if w.calls != calls {
		t.Error("a system call was made")
	}
	w.checkEmpty(t)
}

func TestStacksWithoutGuardStandShoulderToShoulder(t *testing.T) {
	p := newTest(t, Config{GuardKind: GuardNone, Guard: 1 << 20})
	stacks := get(t, p, 3)
	for i, s := range stacks {
		if s.GuardSize() != 0 || s.GuardBottom() != s.Bottom() || s.Guard() != GuardNone {
			t.Errorf("%v has a guard", s)
		}
		if i > 0 && s.Bottom() != stacks[i-1].Top() {
			t.Errorf("%v: a gap", s)
		}
		if err := s.Rearm(); err != nil {
			t.Error(err)
		}
	}
	put(t, p, stacks...)
}

func TestAutoTakesMprotectWhereTheProbeFails(t *testing.T) {
	w := watch()
	w.memory = unprobed{w.memory}
	_, err := newPool(small(GuardMadvise), w)
	wantErr(t, err, errors.ErrUnsupported, "madvise", "GuardAuto")
	p, err := newPool(small(GuardAuto), w)
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Stats().Guard; got != GuardMprotect {
		t.Errorf("the kind in force is %v", got)
	}
	stacks := get(t, p, 6)
	for _, s := range stacks {
		w.checkStack(t, s)
		if !faults(s.Bottom()-1) || s.Guard() != GuardMprotect {
			t.Errorf("%v", s)
		}
	}
	put(t, p, stacks...)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if w.names["guard"] != 0 {
		t.Error("the useless advice was given")
	}
	w.checkEmpty(t)
}

// unprobed is a system that accepts MADV_GUARD_INSTALL and does nothing.
type unprobed struct{ memory }

func (unprobed) probeGuard() error { return errors.ErrUnsupported }

func TestRefusedGuardAdviceFallsBackToMprotect(t *testing.T) {
	if guardProbe() != nil {
		t.Skip("no guards by madvise here")
	}
	w := watch()
	p, err := newPool(small(GuardAuto), w)
	if err != nil {
		t.Fatal(err)
	}
	before := get(t, p, 2)
	w.refuse = func(_ int, call string) error {
		if call == "guard" {
			return unix.EINVAL // as for locked memory
		}
		return nil
	}
	after := get(t, p, 6)
	if err := before[0].Rearm(); err != nil {
		t.Fatal(err)
	}
	for i, s := range append(before, after...) {
		w.checkStack(t, s)
		if !faults(s.Bottom()-1) || !faults(s.Top()) {
			t.Errorf("%v is open", s)
		}
		// The guard above stack 2 was in force before the kernel changed its
		// mind.
		if want := i == 1 || i == 2; (s.Guard() == GuardMadvise) != want {
			t.Errorf("%v", s)
		}
	}
	if got := p.Stats(); got.Guard != GuardMprotect || got.AdviceRefused != 2 {
		t.Errorf("%+v", got)
	}
	put(t, p, append(before, after...)...)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	w.checkEmpty(t)
}

func TestMadviseThatWasAskedForIsNotReplaced(t *testing.T) {
	if guardProbe() != nil {
		t.Skip("no guards by madvise here")
	}
	w := watch()
	w.refuse = func(_ int, call string) error {
		if call == "guard" {
			return unix.EINVAL
		}
		return nil
	}
	p, err := newPool(small(GuardMadvise), w)
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Get()
	wantErr(t, err, ErrGuard, p.Name())
	wantErr(t, err, unix.EINVAL)
	w.checkEmpty(t)
	if got := p.Stats(); got.Live != 0 || got.Arenas != 0 || got.Mapped != 0 || got.AdviceRefused != 1 {
		t.Errorf("%+v", got)
	}
}

func TestLockedMemoryGetsItsGuardsFromMprotect(t *testing.T) {
	out, err := inChild(t, func() {
		p, err := New(small(GuardAuto))
		if err != nil {
			panic(err)
		}
		if err := unix.Mlockall(unix.MCL_FUTURE); err != nil {
			println("skip:", err.Error())
			return
		}
		s, err := p.Get()
		if err != nil {
			if errors.Is(err, ErrStackLimit) {
				println("skip:", err.Error())
				return
			}
			panic(err)
		}
		if !faults(s.Bottom()-1) || !faults(s.Top()) || faults(s.Bottom()) {
			panic(s.String())
		}
		println(s.String())
	})
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Log(strings.TrimSpace(out))
}

func TestProbeOfGuardsAgreesWithTheKernel(t *testing.T) {
	var k kernel
	page, err := k.reserve(pageSize, accessReadWrite, HugeNever)
	if err != nil {
		t.Fatal(err)
	}
	defer k.unmap(page, pageSize)
	if faults(page) {
		t.Fatal("fresh memory faults")
	}
	works := k.advise(page, pageSize, adviceGuardInstall) == nil && faults(page)
	if probed := guardProbe(); works != (probed == nil) {
		t.Errorf("works: %v, probe: %v", works, probed)
	}
}

// A program that has run out of file descriptors still gets the cheap guards.
func TestTheProbeNeedsNoFileDescriptors(t *testing.T) {
	if err := guardProbe(); err != nil {
		t.Skip(err)
	}
	out, err := inChild(t, func() {
		time.Sleep(time.Millisecond) // with the first timer Go opens one, and dies if there is none
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{}); err != nil {
			panic(err)
		}
		p, err := New(Config{GuardKind: GuardMadvise})
		if err != nil {
			panic(err)
		}
		s, err := p.Get()
		if err != nil {
			panic(err)
		}
		if n, err := s.HighWater(); n != 0 || err != nil {
			panic(fmt.Sprint(n, err))
		}
		if err := p.Put(s); err != nil {
			panic(err)
		}
		fmt.Println("all is well")
	})
	if err != nil || !strings.Contains(out, "all is well") {
		t.Fatalf("%v\n%.3000s", err, out)
	}
}

// A system that takes the advice to discard and does nothing must not pass for one that
// has discarded.
func TestAdviceToDiscardIsTriedOut(t *testing.T) {
	if err := discardProbe(); err != nil {
		t.Errorf("on Linux it works: %v", err)
	}
	err := probeDiscard(func(_, _ uintptr) error { return nil })
	wantErr(t, err, errors.ErrUnsupported, "no effect")
	if err := probeDiscard(func(_, _ uintptr) error { return unix.EINVAL }); err != nil {
		t.Errorf("a refusal is no lie: %v", err)
	}
}

func TestLargeGuardsAreMadeByMprotectWhileThereAreMaps(t *testing.T) {
	if guardProbe() != nil {
		t.Skip("no guards by madvise here")
	}
	used := guardMaps.Load()
	for _, c := range []struct {
		guard int
		maps  int // that others have, of 1,000
		want  GuardKind
	}{
		{192 << 10, 100, GuardMadvise}, {256 << 10, 100, GuardMprotect}, {1 << 20, 100, GuardMprotect}, {1 << 20, 900, GuardMadvise},
	} {
		w := watch()
		w.limit, w.maps = 10_000, 10*c.maps+int(used)
		p, err := newPool(Config{Guard: c.guard, Size: 1 << 20}, w)
		if err != nil {
			t.Fatal(err)
		}
		stacks := get(t, p, 5)
		for _, s := range stacks {
			w.checkStack(t, s)
			if s.Guard() != c.want {
				t.Errorf("%d maps: %v, want %v", c.maps, s, c.want)
			}
		}
		s := stacks[2]
		checkBounds(t, s)
		for _, n := range []int{1, 1 << 20, 1100 << 10, 4096, c.guard} {
			if err := s.SetGuard(n); err != nil {
				t.Fatal(err)
			}
			w.checkStack(t, s)
			checkBounds(t, s)
			if err := s.Rearm(); err != nil {
				t.Fatal(err)
			}
			checkBounds(t, s)
		}
		put(t, p, stacks...)
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		w.checkEmpty(t)
	}
	if now := guardMaps.Load(); now != used {
		t.Errorf("%d maps are still accounted for guards", now-used)
	}
}
