//go:build linux

package stackpool

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func Test300LiveStacksCostOneMapOrTwoEach(t *testing.T) {
	for _, kind := range kinds(t) {
		p := newTest(t, Config{GuardKind: kind})
		stacks := get(t, p, 300)
		maps, most := mapsOf(t, p), 1
		if kind == GuardMprotect {
			most = 2*300 + 1
		}
		if maps > most {
			t.Errorf("%v: %d maps, want at most %d", kind, maps, most)
		}
		for _, m := range readMaps(t) {
			if kind == GuardMadvise && m.start <= stacks[0].Bottom() && stacks[0].Bottom() < m.end && !strings.Contains(m.line, " rw-p ") {
				t.Errorf("odd map %s", m.line)
			}
		}
		put(t, p, stacks...)
	}
}

func TestHundredThousandGuardedStacksNeedFewMaps(t *testing.T) {
	needAddresses(t)
	if guardProbe() != nil {
		t.Skip("no guards by madvise here")
	}
	const n = 100_000
	p := newTest(t, Config{})
	start := time.Now()
	stacks := get(t, p, n)
	t.Logf("%v a stack", time.Since(start)/n)
	if maps := len(readMaps(t)); maps >= 100 && !underRace {
		t.Errorf("the process has %d maps", maps)
		for _, m := range readMaps(t) {
			t.Log(m.line)
		}
	}
	if maps := mapsOf(t, p); maps > p.Stats().Arenas {
		t.Errorf("%d maps in %d arenas", maps, p.Stats().Arenas)
	}
	for i, s := range stacks {
		if i%9973 == 0 && (!faults(s.Bottom()-1) || !faults(s.Top()) || faults(s.Bottom())) {
			t.Errorf("%v is not guarded", s)
		}
	}
	t.Logf("%+v, %d maps in the process", p.Stats(), len(readMaps(t)))
	put(t, p, stacks...)
}

func TestNothingStaysMapped(t *testing.T) {
	for _, kind := range kinds(t) {
		before := len(readMaps(t))
		used := guardMaps.Load()
		for range 40 {
			p, err := New(Config{GuardKind: kind, ArenaSize: 1 << 20})
			if err != nil {
				t.Fatal(err)
			}
			put(t, p, get(t, p, 60)...)
			if _, err := p.Trim(30); err != nil {
				t.Fatal(err)
			}
			put(t, p, get(t, p, 60)...)
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
		}
		// The Go runtime maps something now and then.
		if after := len(readMaps(t)); after > before+30 {
			t.Errorf("%v: %d maps became %d", kind, before, after)
		}
		if now := guardMaps.Load(); now != used {
			t.Errorf("%v: %d maps are still accounted for guards", kind, now-used)
		}
	}
}

func TestMaxStacksIsAHardLimit(t *testing.T) {
	p := newTest(t, Config{Name: "few", MaxStacks: 3})
	stacks := get(t, p, 3)
	_, err := p.Get()
	wantErr(t, err, ErrStackLimit, "MaxStacks", "3", `"few"`)
	var limit *LimitError
	if !errors.As(err, &limit) || limit.Limit != "MaxStacks" || limit.Value != 3 || limit.Err != nil {
		t.Errorf("%#v", err)
	}
	put(t, p, stacks[1])
	if s := get(t, p, 1)[0]; s != stacks[1] {
		t.Errorf("got %v", s)
	}
	put(t, p, stacks...)
	if got := p.Stats(); got.Cached != 3 || got.Trims != 0 {
		t.Errorf("%+v", got)
	}
	if _, err := p.Trim(0); err != nil {
		t.Fatal(err)
	}
	put(t, p, get(t, p, 3)...)
}

// childLimit sets a limit to what is used now and some more.
func childLimit(resource int, field string, more uint64) uint64 {
	used := table("/proc/self/status")[field]
	lim := unix.Rlimit{Cur: used + more, Max: unix.RLIM_INFINITY}
	if err := unix.Setrlimit(resource, &lim); err != nil {
		panic(err)
	}
	return lim.Cur
}

// exhaust takes stacks until there are no more, checks the error, and that the
// pool still works and gives everything back.
func exhaust(p *Pool, most int, name string, value uint64) {
	var stacks []*Stack
	var err error
	for range most {
		var s *Stack
		if s, err = p.Get(); err != nil {
			break
		}
		if len(stacks)%100 == 0 && s.GuardSize() > 0 && (!faults(s.Bottom()-1) || !faults(s.Top())) {
			panic(s.String() + " is not guarded")
		}
		stacks = append(stacks, s)
	}
	var limit *LimitError
	if !errors.As(err, &limit) || !errors.Is(err, ErrStackLimit) || !errors.Is(err, syscall.ENOMEM) ||
		limit.Limit != name || value != 0 && limit.Value != value || limit.Remedy == "" {
		panic(fmt.Sprintf("after %d stacks: %#v", len(stacks), err))
	}
	fmt.Printf("%d stacks, then: %v\n", len(stacks), err)
	for _, s := range stacks {
		if err := p.Put(s); err != nil {
			panic(err)
		}
	}
	again := p.Stats().Cached
	for i := range stacks {
		if stacks[i], err = p.Get(); err != nil {
			panic(err)
		}
	}
	for _, s := range stacks {
		if err := p.Put(s); err != nil {
			panic(err)
		}
	}
	if again != len(stacks) || p.Stats().Live != 0 {
		panic(fmt.Sprintf("%+v", p.Stats()))
	}
	if _, err := p.Trim(0); err != nil {
		panic(err)
	}
	if _, err := p.Get(); err != nil {
		panic(err)
	}
	fmt.Println("all is well")
}

func TestLimitsOfTheProcessAreNamed(t *testing.T) {
	if underRace {
		t.Skip("the race detector does not survive them")
	}
	for _, c := range []struct {
		limit string
		body  func()
	}{
		{"RLIMIT_AS", func() {
			p, _ := New(Config{})
			exhaust(p, 100_000, "RLIMIT_AS", childLimit(unix.RLIMIT_AS, "VmSize", 512<<20))
		}},
		{"RLIMIT_DATA", func() {
			p, _ := New(Config{})
			exhaust(p, 100_000, "RLIMIT_DATA", childLimit(unix.RLIMIT_DATA, "VmData", 512<<20))
		}},
		{"RLIMIT_DATA_mprotect", func() {
			p, _ := New(Config{GuardKind: GuardMprotect, Size: 1 << 20})
			exhaust(p, 100_000, "RLIMIT_DATA", childLimit(unix.RLIMIT_DATA, "VmData", 512<<20))
		}},
		{"vm.max_map_count", func() {
			p, _ := New(Config{GuardKind: GuardMprotect, Guard: int(pageSize)})
			_, n := kernel{}.countMaps()
			if n > 80_000 {
				fmt.Println("all is well: too many maps to try")
				return
			}
			exhaust(p, n/2+1, "vm.max_map_count", uint64(n))
		}},
		{"address_space", func() {
			// Without guards, as those of so much memory cost page tables or
			// maps.
			p, _ := New(Config{Size: MaxSize, GuardKind: GuardNone})
			exhaust(p, 1<<18, "address space", 0)
		}},
	} {
		t.Run(c.limit, func(t *testing.T) {
			if c.limit == "address_space" && pageSize != 4096 {
				t.Skip("a large address space takes long to fill")
			}
			out, err := inChild(t, c.body)
			if err != nil || !strings.Contains(out, "all is well") {
				t.Fatalf("%v\n%.3000s", err, out)
			}
			t.Log(strings.TrimSpace(out))
		})
	}
}

// Here something else has used up the maps, and the pool knows it in time: with
// none left, the Go runtime would not live to see the error.
func TestMapsUsedUpByOthersAreNamed(t *testing.T) {
	if underRace {
		t.Skip("the race detector does not survive it")
	}
	out, err := inChild(t, func() {
		maps, limit := kernel{}.countMaps()
		if limit > 80_000 {
			fmt.Println("all is well: too many maps to try")
			return
		}
		p, err := New(Config{GuardKind: GuardMprotect})
		if err != nil {
			panic(err)
		}
		first, err := p.Get()
		if err != nil {
			panic(err)
		}
		var k kernel
		n := uintptr(limit - maps - mapsLeft - 60)
		base, err := k.reserve(n*pageSize, accessNone, HugeNever)
		if err != nil {
			panic(err)
		}
		for i := uintptr(1); i < n; i += 2 {
			if err := k.protect(base+i*pageSize, pageSize, accessReadWrite); err != nil {
				panic(err)
			}
		}
		p.maps.read = time.Time{} // as if a second had passed
		var stacks []*Stack
		for {
			s, err := p.Get()
			if err != nil {
				fmt.Printf("%d stacks, then: %v\n", len(stacks), err)
				if !errors.Is(err, ErrStackLimit) || !errors.Is(err, syscall.ENOMEM) || !strings.Contains(err.Error(), "vm.max_map_count is") {
					panic(err)
				}
				break
			}
			stacks = append(stacks, s)
		}
		for _, s := range append(stacks, first) {
			if err := p.Put(s); err != nil {
				panic(err)
			}
		}
		if err := p.Close(); err != nil {
			panic(err)
		}
		fmt.Println("all is well")
	})
	if err != nil || !strings.Contains(out, "all is well") {
		t.Fatalf("%v\n%.3000s", err, out)
	}
	t.Log(strings.TrimSpace(out))
}

func TestMapsAreLeftToTheRestOfTheProcess(t *testing.T) {
	w := watch()
	used := guardMaps.Load()
	w.limit, w.maps = 8*mapsLeft, 7*mapsLeft-10+int(used)
	p, err := newPool(small(GuardMprotect), w)
	if err != nil {
		t.Fatal(err)
	}
	stacks := get(t, p, 5)
	_, err = p.Get()
	wantErr(t, err, ErrStackLimit, fmt.Sprintf("vm.max_map_count is %d", w.limit), "sysctl", "madvise")
	wantErr(t, err, syscall.ENOMEM)
	w.limit += 4 // raised while we run
	w.maps += 10
	p.maps.read = time.Now().Add(-mapsFresh)
	stacks = append(stacks, get(t, p, 2)...)
	put(t, p, stacks...)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	w.checkEmpty(t)
	if now := guardMaps.Load(); now != used {
		t.Errorf("%d maps became %d", used, now)
	}
}

func TestALimitThatIsGoneAfterATrimIsNotAnError(t *testing.T) {
	w := watch()
	p, err := newPool(small(GuardAuto), w)
	if err != nil {
		t.Fatal(err)
	}
	refusals := 0
	w.refuse = func(_ int, call string) error {
		if call == "mmap" && refusals == 0 {
			refusals++
			return unix.ENOMEM
		}
		return nil
	}
	s := get(t, p, 1)[0]
	if got := p.Stats(); refusals != 1 || got.Trims != 1 {
		t.Errorf("%d refusals, %+v", refusals, got)
	}
	put(t, p, s)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	w.checkEmpty(t)
}

func TestSmallerArenasAreTriedBeforeGivingUp(t *testing.T) {
	w := &sized{watched: watch(), most: 40 << 20}
	w.memory = kernel{}
	p, err := newPool(Config{}, w)
	if err != nil {
		t.Fatal(err)
	}
	s := get(t, p, 1)[0]
	if want := []uintptr{64, 32}; !slices.Equal(w.asked, want) {
		t.Errorf("asked for %d MiB, want %d", w.asked, want)
	}
	put(t, p, s)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	w.checkEmpty(t)
	w.most, w.asked = 1, nil
	p, _ = newPool(Config{}, w)
	_, err = p.Get()
	wantErr(t, err, ErrStackLimit, "address space")
	if want := []uintptr{64, 32, 16, 8, 4, 2, 1, 64, 32, 16, 8, 4, 2, 1}; !slices.Equal(w.asked, want) {
		t.Errorf("asked for %d MiB, want %d", w.asked, want)
	}
}

// sized refuses large pieces.
type sized struct {
	*watched
	most  uintptr
	asked []uintptr // MiB, rounded up
}

func (m *sized) reserve(length uintptr, a access, h HugePages) (uintptr, error) {
	if length == spare {
		return m.watched.reserve(length, a, h)
	}
	m.asked = append(m.asked, (length+1<<20-1)>>20)
	if length > m.most {
		return 0, os.NewSyscallError("mmap", unix.ENOMEM)
	}
	return m.watched.reserve(length, a, h)
}

func TestBlameFindsTheLimit(t *testing.T) {
	const gib = 1 << 30
	roomy := facts{
		maps: 100, maxMaps: 65530,
		mapped: gib, rlimitAS: unix.RLIM_INFINITY,
		data: gib, rlimitData: unix.RLIM_INFINITY,
		rlimitLocked: 8 << 20,
		committed:    gib, maxCommit: gib,
	}
	for _, c := range []struct {
		call   string
		cause  error
		change func(*facts)
		limit  string
		value  uint64
	}{
		{"mmap", unix.ENOMEM, func(f *facts) {}, "address space", gib},
		{"madvise", unix.ENOMEM, func(f *facts) {}, "memory", gib},
		{"mmap", unix.ENOMEM, func(f *facts) { f.maps = 65525 }, "vm.max_map_count", 65530},
		{"mprotect", unix.ENOMEM, func(f *facts) { f.maps = 65531 }, "vm.max_map_count", 65530},
		{"mmap", unix.ENOMEM, func(f *facts) { f.rlimitAS = gib + 5 }, "RLIMIT_AS", gib + 5},
		{"mprotect", unix.ENOMEM, func(f *facts) { f.rlimitAS = gib + 5 }, "memory", gib},
		{"mprotect", unix.ENOMEM, func(f *facts) { f.rlimitData = gib + 5 }, "RLIMIT_DATA", gib + 5},
		{"mmap", unix.ENOMEM, func(f *facts) { f.strictCommit = true }, "vm.overcommit_memory", gib},
		{"mmap", unix.EAGAIN, func(f *facts) {}, "RLIMIT_MEMLOCK", 8 << 20},
		{"mmap", unix.ENOMEM, func(f *facts) { f.locked = 8 << 20 }, "RLIMIT_MEMLOCK", 8 << 20},
		{"mmap", unix.ENOMEM, func(f *facts) { *f = facts{} }, "address space", 0},
	} {
		f := roomy
		c.change(&f)
		e := f.blame(c.call, 1<<20, c.cause)
		if e.Limit != c.limit || e.Value != c.value || e.Remedy == "" || !errors.Is(e, c.cause) {
			t.Errorf("%s, %v, %+v: %v", c.call, c.cause, f, e)
		}
	}
	f := gather()
	if f.maps < 5 || f.maxMaps < 1000 || f.mapped == 0 || f.data == 0 || f.maxCommit == 0 {
		t.Errorf("facts that cannot be: %+v", f)
	}
}
