//go:build linux

package stackpool

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestSlotsAreCommittedWhenTheyAreCut(t *testing.T) {
	for _, kind := range append(kinds(t), GuardNone) {
		for _, commit := range []Commit{CommitPerSlot, CommitAtOnce} {
			w := watch()
			p, err := newPool(Config{GuardKind: kind, Commit: commit}, w)
			if err != nil {
				t.Fatal(err)
			}
			const n = 50
			stacks := get(t, p, n)
			for _, s := range stacks {
				if kind != GuardNone {
					checkBounds(t, s)
					w.checkStack(t, s)
				}
				fill(s)
			}
			got := p.Stats()
			want, maps := got.Mapped, 1
			if commit == CommitPerSlot {
				want, maps = n*DefaultSize, 2
				if kind == GuardMadvise {
					want += n * DefaultGuard
				}
			}
			if kind == GuardMprotect {
				maps = 2*n + 2
			}
			if got.Committed != want {
				t.Errorf("%v, %v: %d bytes are committed, want %d", kind, commit, got.Committed, want)
			}
			if m := mapsOf(t, p); m > maps {
				t.Errorf("%v, %v: %d maps, want at most %d", kind, commit, m, maps)
			}
			if kind != GuardNone {
				if err := stacks[7].SetGuard(1); err != nil {
					t.Error(err)
				}
				checkBounds(t, stacks[7])
			}
			put(t, p, stacks...)
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
			if got := p.Stats(); got.Committed != 0 {
				t.Errorf("%+v", got)
			}
			w.checkEmpty(t)
		}
	}
}

// strict is a machine that counts what it promises.
type strict struct{ memory }

func (strict) commit() (promised, limit uint64, strict bool) { return 1, 2, true }

func TestWherePromisesAreCountedSlotsAreCommittedOneByOne(t *testing.T) {
	w := watch()
	w.memory = strict{w.memory}
	p, err := newPool(Config{}, w)
	if err != nil {
		t.Fatal(err)
	}
	s := get(t, p, 1)[0]
	if u, err := p.Usage(); err != nil || u.Committed > 2*(DefaultSize+DefaultGuard) || !u.Strict || u.Promised != 1 || u.Limit != 2 {
		t.Errorf("%+v, %v", u, err)
	}
	w.checkStack(t, s)
	put(t, p, s)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	w.checkEmpty(t)
}

func TestUsageTellsWhatIsResident(t *testing.T) {
	p := newTest(t, Config{})
	stacks := get(t, p, 100)
	for i, s := range stacks {
		for page := range i % 3 {
			s.Bytes()[page*int(pageSize)] = 1
		}
	}
	u, err := p.Usage()
	if want := int64(99) * int64(pageSize); err != nil || u.Resident != want || u.Promised == 0 || u.Limit == 0 || u.Mapped != p.Stats().Mapped {
		t.Errorf("%+v, %v, want %d resident", u, err, want)
	}
	put(t, p, stacks...)
	if _, err := p.Trim(0); err != nil {
		t.Fatal(err)
	}
	if u, err := p.Usage(); err != nil || u.Resident != 0 || u.Mapped != 0 {
		t.Errorf("%+v, %v", u, err)
	}
}

func TestPrefaultedPagesAreResidentBeforeTheyAreTouched(t *testing.T) {
	needAdvice(t)
	page := int(pageSize)
	p := newTest(t, Config{Prefault: 3 * page, Magazine: -1})
	s := get(t, p, 1)[0]
	if n, err := s.HighWater(); n != 3*page || err != nil {
		if p.Stats().AdviceRefused > 0 {
			t.Skip("no MADV_POPULATE_WRITE here")
		}
		t.Errorf("%d bytes are there, %v", n, err)
	}
	put(t, p, s)
	if s.heat = heatCold; s != get(t, p, 1)[0] {
		t.Error("another stack")
	}
	put(t, p, s)
	small := newTest(t, Config{Size: page, Prefault: 3 * page})
	put(t, small, get(t, small, 3)...)
	if got := small.Stats(); got.AdviceRefused != 0 {
		t.Errorf("%+v", got)
	}
}

func TestRefusedPrefaultIsCountedAndForgotten(t *testing.T) {
	w := watch()
	w.refuse = func(_ int, call string) error {
		if call == "populate" {
			return unix.EINVAL
		}
		return nil
	}
	p, err := newPool(Config{Prefault: 1}, w)
	if err != nil {
		t.Fatal(err)
	}
	put(t, p, get(t, p, 2)...)
	if got := p.Stats(); got.AdviceRefused != 2 {
		t.Errorf("%+v", got)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestColoursSpreadTheTops(t *testing.T) {
	p := newTest(t, Config{Colours: 8})
	stacks := get(t, p, 64)
	tops := map[uintptr]int{}
	for _, s := range stacks {
		tops[s.Top()%pageSize]++
		if s.Size() != int(s.Top()-s.Bottom()) || len(s.Bytes()) != s.Size() || s.Size() < DefaultSize || s.Size() > DefaultSize+int(pageSize) || s.Top()%64 != 0 {
			t.Errorf("%v", s)
		}
		fill(s)
		if n, err := s.HighWater(); err != nil || n != DefaultSize+int(pageSize) {
			t.Errorf("%v: high water %d, %v", s, n, err)
		}
	}
	if n := p.Stats().StackSize; n < DefaultSize || n >= DefaultSize+int(pageSize) {
		t.Errorf("the least of them is said to have %d bytes", n)
	}
	if len(tops) != 8 {
		t.Errorf("tops end in %v", tops)
	}
	put(t, p, stacks...)
}

func TestPoisonedStacksHoldPoisonWhereTheyWereTouched(t *testing.T) {
	page := int(pageSize)
	p := newTest(t, Config{Poison: true, Magazine: -1})
	s := get(t, p, 1)[0]
	s.Bytes()[s.Size()-2*page] = 1
	put(t, p, s)
	if n, err := s.HighWater(); n != 2*page || err != nil {
		t.Errorf("%d bytes are resident, %v", n, err)
	}
	for i, b := range s.Bytes()[s.Size()-2*page:] {
		if b != PoisonByte {
			t.Fatalf("byte %d is %#x", i, b)
		}
	}
	p.mem = &onlySource{p.mem, func(_, _ uintptr) (uintptr, error) { return 0, unix.EACCES }}
	if s = get(t, p, 1)[0]; s.Bytes()[0] != 0 {
		t.Error("too much was poisoned")
	}
	put(t, p, s)
	if s.Bytes()[0] != PoisonByte {
		t.Error("too little was poisoned")
	}
}

func TestTheHookIsToldEverything(t *testing.T) {
	var told []string
	p := newTest(t, Config{ArenaSize: 1, Policy: UnmapAll(), Hook: func(e Event) {
		told = append(told, fmt.Sprintf("%v %d", e.Kind, e.ID))
	}})
	a, b := get(t, p, 1)[0], get(t, p, 1)[0]
	put(t, p, b, a)
	const want = "map 0, new 1, get 1, map 0, new 2, get 2, put 2, release 2, unmap 0, put 1, release 1, unmap 0"
	if got := strings.Join(told, ", "); got != want {
		t.Errorf("it was told %s", got)
	}
	told = nil
	q := newTest(t, Config{Hook: func(e Event) { told = append(told, e.Kind.String()) }})
	s := get(t, q, 1)[0]
	put(t, q, s)
	put(t, q, get(t, q, 1)...)
	if got := strings.Join(told, " "); !strings.HasPrefix(got, "map new get put ") || strings.Count(got, "put") != 2 {
		t.Errorf("it was told %s", got)
	}
	if EventKind(99).String() != "EventKind(99)" {
		t.Error("an odd kind has no name")
	}
}

// hugeBytes returns how much of a pool's memory is in huge pages.
func hugeBytes(t *testing.T, p *Pool) int64 {
	t.Helper()
	text, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	var start, end uintptr
	total, inside := int64(0), false
	for line := range strings.Lines(string(text)) {
		var kib int64
		if n, _ := fmt.Sscanf(line, "%x-%x ", &start, &end); n == 2 {
			inside = false
			for a := range p.arenas() {
				inside = inside || start < a.base+a.length && a.base < end
			}
		} else if n, _ := fmt.Sscanf(line, "AnonHugePages: %d kB", &kib); n == 1 && inside {
			total += kib << 10
		}
	}
	return total
}

func TestHugePagesAreUsedOnlyWhenAskedFor(t *testing.T) {
	needAdvice(t)
	setting, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	if err != nil || strings.Contains(string(setting), "[never]") {
		t.Skip("no huge pages here")
	}
	for huge, want := range map[HugePages]bool{HugeNever: false, HugeAlways: true} {
		p := newTest(t, Config{Size: 16 << 20, HugePages: huge})
		stacks := get(t, p, 2)
		for _, s := range stacks {
			for off := 0; off < s.Size(); off += 1 << 20 {
				s.Bytes()[off] = 1
			}
		}
		if n := hugeBytes(t, p); n > 0 != want {
			t.Errorf("%v: %d bytes in huge pages", huge, n)
		}
		put(t, p, stacks...)
	}
	for _, s := range []fmt.Stringer{HugeNever, HugeSystem, HugeAlways, CommitAuto, CommitAtOnce, CommitPerSlot} {
		if strings.Contains(s.String(), "(") {
			t.Errorf("%T has no name", s)
		}
	}
	_, err = New(Config{HugePages: 3})
	wantErr(t, err, ErrConfig, "HugePages", "3")
	_, err = New(Config{Commit: 3})
	wantErr(t, err, ErrConfig, "Commit")
	p := newTest(t, Config{HugePages: HugeSystem, Size: 64 << 20})
	put(t, p, get(t, p, 1)...)
}

// Very many stacks: a few of the million by default, as page tables and descriptors
// of a million take some hundred MB.
func TestAMillionGuardedStacksNeedFewMaps(t *testing.T) {
	needAddresses(t)
	n := 20_000
	if os.Getenv(longVariable) != "" {
		n = 1_000_000
	}
	if guardProbe() != nil {
		t.Skip("no guards by madvise here")
	}
	start := time.Now()
	p := newTest(t, Config{Guard: 1})
	stacks := get(t, p, n)
	took := time.Since(start)
	maps := mapsOf(t, p)
	if maps >= 20 || maps > p.Stats().Arenas {
		t.Errorf("%d maps in %d arenas", maps, p.Stats().Arenas)
	}
	for i := 0; i < n; i += n / 100 {
		s := stacks[i]
		if !faults(s.Bottom()-1) || faults(s.Bottom()) || faults(s.Top()-1) || !faults(s.Top()) {
			t.Errorf("%v", s)
		}
	}
	t.Logf("%d stacks in %d maps, %v each", n, maps, took/time.Duration(n))
	put(t, p, stacks...)
}

// What the cache and Prefault have spared their users is told.
func TestSparedFaultsAreCounted(t *testing.T) {
	page := int(pageSize)
	p := newTest(t, Config{Prefault: 3 * page, Magazine: -1, Policy: KeepAll()})
	s := get(t, p, 1)[0]
	if p.Stats().AdviceRefused > 0 {
		t.Skip("no MADV_POPULATE_WRITE here")
	}
	put(t, p, s)
	put(t, p, get(t, p, 1)...) // warm
	keep := get(t, p, 2)       // warm, and new
	put(t, p, keep[0])
	if _, err := p.Trim(0); err != nil {
		t.Fatal(err)
	}
	put(t, p, get(t, p, 1)...) // cold
	put(t, p, keep[1])
	if got := p.Stats(); got.FaultsSaved != 2 || got.Prefaulted != 9 || got.Hits != 3 || got.Cold != 1 {
		t.Errorf("%+v", got)
	}
}

// The kernel says of each arena whether huge pages are kept away or asked for: that holds
// whatever the system is set to.
func TestTheKernelKnowsWhatWasSaidAboutHugePages(t *testing.T) {
	needAdvice(t)
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage"); err != nil {
		t.Skip(err)
	}
	for huge, want := range map[HugePages]string{HugeNever: "nh", HugeAlways: "hg", HugeSystem: ""} {
		for _, kind := range append(kinds(t), GuardNone) {
			p := newTest(t, Config{GuardKind: kind, HugePages: huge})
			stacks := get(t, p, 3)
			text, err := os.ReadFile("/proc/self/smaps")
			if err != nil {
				t.Skip(err)
			}
			var start, end uintptr
			seen := 0
			for line := range strings.Lines(string(text)) {
				var from, to uintptr
				if n, _ := fmt.Sscanf(line, "%x-%x ", &from, &to); n == 2 {
					start, end = from, to
					continue
				}
				flags, ok := strings.CutPrefix(line, "VmFlags:")
				if s := stacks[1]; !ok || s.Bottom() < start || s.Bottom() >= end {
					continue
				}
				seen++
				for _, flag := range []string{"nh", "hg"} {
					if has := slices.Contains(strings.Fields(flags), flag); has != (flag == want) {
						t.Errorf("%v, %v: the flags are %s", huge, kind, flags)
					}
				}
			}
			if seen != 1 {
				t.Errorf("%v, %v: the stack is in %d maps", huge, kind, seen)
			}
			put(t, p, stacks...)
		}
	}
}
