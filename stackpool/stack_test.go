//go:build linux

package stackpool

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

func TestStacksLieBetweenGuardsInWholePages(t *testing.T) {
	for _, kind := range kinds(t) {
		for _, c := range []Config{
			{},
			{Size: 1, Guard: 1},
			{Size: 100_000, Guard: int(pageSize) + 1, ArenaSize: 1},
			{Size: 8 << 20, Guard: 1 << 20, ArenaSize: 40 << 20},
		} {
			c.GuardKind = kind
			p := newTest(t, c)
			stacks := get(t, p, 9)
			for i, s := range stacks {
				if s.Size() < c.Size || uintptr(s.Size()) != pages(c.Size, DefaultSize) {
					t.Errorf("%v: size %d for %d", s, s.Size(), c.Size)
				}
				if uintptr(s.GuardSize()) != pages(c.Guard, DefaultGuard) {
					t.Errorf("%v: guard %d for %d", s, s.GuardSize(), c.Guard)
				}
				if s.Bottom()%pageSize != 0 || s.Top()%pageSize != 0 || s.GuardBottom()%pageSize != 0 {
					t.Errorf("%v: not aligned to pages", s)
				}
				if s.Top()-s.Bottom() != uintptr(s.Size()) || s.Bottom()-s.GuardBottom() != uintptr(s.GuardSize()) {
					t.Errorf("%v: bounds do not fit sizes", s)
				}
				if s.Guard() != kind || s.Pool() != p {
					t.Errorf("%v: kind %v, pool %v", s, s.Guard(), s.Pool().Name())
				}
				for _, addr := range []uintptr{s.GuardBottom(), s.Bottom() - 1, s.Top(), s.Top() + uintptr(s.GuardSize()) - 1} {
					if !faults(addr) {
						t.Errorf("%v: %#x does not fault", s, addr)
					}
				}
				b := s.Bytes()
				if len(b) != s.Size() || cap(b) != s.Size() || uintptr(unsafe.Pointer(&b[0])) != s.Bottom() {
					t.Errorf("%v: Bytes is %d bytes at %p", s, len(b), &b[0])
				}
				b[0], b[len(b)-1] = byte(i), byte(i)
			}
			for i, s := range stacks {
				if b := s.Bytes(); b[0] != byte(i) || b[len(b)-1] != byte(i) {
					t.Errorf("%v: overwritten", s)
				}
			}
			put(t, p, stacks...)
		}
	}
}

func TestDescriptorsHaveACacheLineEach(t *testing.T) {
	if size := unsafe.Sizeof(Stack{}); unsafe.Sizeof(uintptr(0)) == 8 && size != 64 {
		t.Fatalf("a descriptor has %d bytes", size)
	}
	p := newTest(t, Config{})
	stacks := get(t, p, 20)
	for _, s := range stacks {
		if addr := uintptr(unsafe.Pointer(s)); is64 == 1 && addr%64 != 0 {
			t.Errorf("descriptor at %#x", addr)
		}
	}
	put(t, p, stacks...)
}

func TestStringTellsBoundsGuardAndState(t *testing.T) {
	p := newTest(t, Config{Name: "the pool", GuardKind: GuardMprotect})
	s := get(t, p, 1)[0]
	check := func(words ...string) {
		t.Helper()
		for _, w := range words {
			if !strings.Contains(s.String(), w) {
				t.Errorf("%q does not mention %q", s.String(), w)
			}
		}
	}
	check("stack 1", "the pool", "0x", "65536", "mprotect", "live")
	if err := s.Occupy(); err != nil {
		t.Fatal(err)
	}
	check("occupied")
	if err := s.Vacate(); err != nil {
		t.Fatal(err)
	}
	put(t, p, s)
	check("cached")
	if _, err := p.Trim(0); err != nil {
		t.Fatal(err)
	}
	check("unmapped")
	if s.Bytes() != nil {
		t.Error("Bytes of an unmapped stack")
	}
	if (*Stack)(nil).String() == "" || GuardKind(77).String() != "GuardKind(77)" {
		t.Error("odd values have no name")
	}
}

func TestHighWaterIsTheLowestPageTouched(t *testing.T) {
	page := int(pageSize)
	sources := map[string]func(bottom, top uintptr) (uintptr, error){
		"whichever": kernel{}.lowestTouched, "pagemap": lowestInPageMap, "mincore": lowestInCore,
	}
	for _, kind := range kinds(t) {
		for name, source := range sources {
			t.Run(kind.String()+"/"+name, func(t *testing.T) {
				p := newTest(t, Config{Size: 5000 * page, GuardKind: kind})
				p.mem = &onlySource{p.mem, source}
				stacks := get(t, p, 3)
				s := stacks[1]
				want := func(n int) {
					t.Helper()
					if got, err := s.HighWater(); err != nil || got != n*page {
						t.Errorf("high water is %d pages (%v), want %d", got/page, err, n)
					}
				}
				want(0)
				for _, depth := range []int{1, 2, 7, 600, 4999, 5000} {
					s.Bytes()[s.Size()-depth*page] = 1
					want(depth)
				}
				for _, neighbour := range []*Stack{stacks[0], stacks[2]} {
					if n, err := neighbour.HighWater(); n != 0 || err != nil {
						t.Errorf("%v: high water %d, %v", neighbour, n, err)
					}
				}
				if n, err := p.HighWater(); n != s.Size() || err != nil {
					t.Errorf("high water of the pool is %d, %v", n, err)
				}
				put(t, p, stacks[0], s)
				want(5000) // cached, not given back
				if n, err := p.Trim(0); n != 2 || err != nil {
					t.Errorf("trimmed %d, %v", n, err)
				}
				want(0)
				put(t, p, stacks[2])
				if _, err := p.Trim(0); err != nil {
					t.Error(err)
				}
				_, err := s.HighWater()
				wantErr(t, err, ErrNotLive, "stack 2", p.Name())
			})
		}
	}
}

// onlySource is a memory with one way to find out what is resident.
type onlySource struct {
	memory
	source func(bottom, top uintptr) (uintptr, error)
}

func (m *onlySource) lowestTouched(bottom, top uintptr) (uintptr, error) {
	return m.source(bottom, top)
}

func TestHighWaterPassesErrorsOn(t *testing.T) {
	p := newTest(t, Config{})
	s := get(t, p, 1)[0]
	mem := p.mem
	p.mem = &onlySource{p.mem, func(_, _ uintptr) (uintptr, error) { return 0, unix.EACCES }}
	_, err := s.HighWater()
	wantErr(t, err, unix.EACCES, p.Name(), "stack 1")
	_, err = p.HighWater()
	wantErr(t, err, unix.EACCES, p.Name())
	p.mem = mem
	put(t, p, s)
}

func TestOnlyTouchedPagesOfBigStacksAreResident(t *testing.T) {
	const n, size = 16, 2 << 20
	for _, kind := range kinds(t) {
		p := newTest(t, Config{Size: size, GuardKind: kind})
		stacks := get(t, p, n)
		touched := 0
		for _, s := range stacks {
			b := s.Bytes()
			for range 3 {
				b[len(b)-1-rand.IntN(size)] = 1
			}
			touched += 3
		}
		resident := 0
		for a := range p.arenas() {
			present := make([]byte, a.length/pageSize)
			if err := call("mincore", unix.SYS_MINCORE, a.base, a.length, uintptr(unsafe.Pointer(&present[0]))); err != nil {
				put(t, p, stacks...)
				t.Skip(err)
			}
			for _, b := range present {
				resident += int(b & 1)
			}
		}
		if resident > touched {
			t.Errorf("%v: %d pages are resident, %d were touched", kind, resident, touched)
		}
		put(t, p, stacks...)
	}
}

func TestOccupiedStacksAreNotTakenBack(t *testing.T) {
	p := newTest(t, Config{Name: "occupied"})
	s := get(t, p, 1)[0]
	wantErr(t, s.Vacate(), ErrNotLive)
	if err := s.Occupy(); err != nil {
		t.Fatal(err)
	}
	wantErr(t, s.Occupy(), ErrNotLive)
	wantErr(t, p.Put(s), ErrInUse, "stack 1", `"occupied"`)
	if got := p.Stats(); got.Live != 1 || got.Cached != 0 {
		t.Errorf("a refused Put changed %+v", got)
	}
	if err := s.Vacate(); err != nil {
		t.Fatal(err)
	}
	put(t, p, s)
	wantErr(t, s.Occupy(), ErrNotLive)
	wantErr(t, s.Vacate(), ErrNotLive)
}

func TestPutOfTheStackOneRunsOnIsRefused(t *testing.T) {
	p := newTest(t, Config{})
	s := get(t, p, 1)[0]
	// There is no switching of stacks here, so the descriptor is bent instead.
	var here byte
	bottom, top := s.Bottom(), s.top
	s.bottom.Store(uintptr(unsafe.Pointer(&here)) - 32<<10)
	s.top = s.Bottom() + 64<<10
	wantErr(t, p.Put(s), ErrInUse)
	s.bottom.Store(bottom)
	s.top = top
	put(t, p, s)
}

func TestNewRefusesBadConfigurations(t *testing.T) {
	needAddresses(t)
	for _, c := range []struct {
		config Config
		words  []string
	}{
		{Config{Size: -1}, []string{"Size", "-1", "1073741824"}},
		{Config{Size: MaxSize + 1}, []string{"Size", "1073741825", "1073741824"}},
		{Config{Guard: -5}, []string{"Guard", "-5"}},
		{Config{Guard: MaxSize + 1}, []string{"Guard"}},
		{Config{MaxStacks: -1}, []string{"MaxStacks", "-1"}},
		{Config{ArenaSize: MaxArenaSize + 1}, []string{"ArenaSize"}},
		{Config{GuardKind: 9}, []string{"GuardKind", "9"}},
		{Config{Order: 3}, []string{"Order", "3"}},
		{Config{Magazine: 65}, []string{"Magazine", "65", "64"}},
	} {
		p, err := New(c.config)
		if p != nil {
			t.Errorf("%+v makes a pool", c.config)
		}
		wantErr(t, err, ErrConfig, c.words...)
		var ce *ConfigError
		if !errors.As(err, &ce) || ce.Field != c.words[0] {
			t.Errorf("%+v: %#v", c.config, err)
		}
	}
	p := newTest(t, Config{Size: MaxSize, Guard: MaxSize})
	put(t, p, get(t, p, 2)...)
}

// Any configuration is refused or served.
func FuzzConfig(f *testing.F) {
	f.Add(0, 0, uint8(0), 0, 0, uint8(0), 0, uint8(0), uint8(0), uint16(0), 0)
	f.Add(1, 1, uint8(1), 1, 1, uint8(1), -1, uint8(1), uint8(1), uint16(1), 64)
	f.Add(MaxSize, MaxSize, uint8(2), 3, MaxArenaSize, uint8(2), 64, uint8(2), uint8(2), uint16(1<<15), 65)
	f.Add(1<<20, -1, uint8(3), 2, 1<<30, uint8(3), 65, uint8(3), uint8(3), uint16(0), 1)
	f.Fuzz(func(t *testing.T, size, guard int, kind uint8, most, arena int, order uint8, magazine int, huge, commit uint8, prefault uint16, colours int) {
		p, err := New(Config{
			Size: size, Guard: guard, GuardKind: GuardKind(kind), MaxStacks: most, ArenaSize: arena, Order: Order(order),
			Magazine: magazine, HugePages: HugePages(huge), Commit: Commit(commit), Prefault: int(prefault), Colours: colours,
		})
		if err != nil {
			if !errors.Is(err, ErrConfig) && !errors.Is(err, errors.ErrUnsupported) {
				t.Fatal(err)
			}
			return
		}
		s, err := p.Get()
		if err != nil {
			t.Fatal(err)
		}
		b := s.Bytes()
		b[0], b[len(b)-1] = 1, 1
		if s.GuardSize() > 0 && (!faults(s.Bottom()-1) || !faults(s.top)) {
			t.Fatalf("%v is not guarded", s)
		}
		if n, err := s.HighWater(); n < s.Size() || n >= s.Size()+int(pageSize) || err != nil {
			t.Fatalf("%v: high water %d, %v", s, n, err)
		}
		put(t, p, s)
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	})
}
