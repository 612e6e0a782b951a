//go:build linux

package stackpool

import (
	"testing"

	"pgregory.net/rapid"
)

func TestSizesComeFromTheNextClass(t *testing.T) {
	p := newTest(t, Config{Size: 100_000})
	page := int(pageSize)
	whole := (100_000 + page - 1) / page * page
	for _, c := range []struct{ ask, want int }{
		{1, MinClass}, {MinClass, MinClass}, {MinClass + 1, 2 * MinClass}, {50_000, 64 << 10},
		{whole / 2, 64 << 10}, {whole/2 + 1, whole}, {100_000, whole}, {whole, whole}, {whole + 1, 128 << 10},
		{1 << 20, 1 << 20}, {1<<20 + 1, 2 << 20}, {MaxClass - 1, MaxClass}, {MaxClass, MaxClass},
	} {
		s, err := p.GetSize(c.ask)
		if err != nil {
			t.Fatal(err)
		}
		if want := max(c.want, page); s.Size() != want {
			t.Errorf("asked for %d, got %d, want %d", c.ask, s.Size(), want)
		}
		s.Bytes()[0], s.Bytes()[s.Size()-1] = 1, 1
		if !faults(s.Bottom()-1) || !faults(s.Top()) {
			t.Errorf("%v is not guarded", s)
		}
		put(t, p, s)
		if again, err := p.GetSize(c.ask); err != nil || again.Size() != s.Size() {
			t.Errorf("%v, %v", again, err)
		} else {
			put(t, p, again)
		}
	}
	for _, n := range []int{0, -1, MaxClass + 1} {
		_, err := p.GetSize(n)
		wantErr(t, err, ErrConfig, p.Name())
	}
	var sum ClassStats
	last := 0
	for _, c := range p.ClassStats() {
		if c.Size <= last {
			t.Errorf("class %d after %d", c.Size, last)
		}
		last = c.Size
		sum.Cached += c.Cached
		sum.Misses += c.Misses
		sum.Arenas += c.Arenas
	}
	if got := p.Stats(); got.Cached != sum.Cached || got.Misses != sum.Misses || got.Arenas != sum.Arenas || sum.Misses != 8 {
		t.Errorf("%+v, %+v", got, sum)
	}
}

func TestALargerMainSizeIsServedToo(t *testing.T) {
	needAddresses(t)
	p := newTest(t, Config{Size: 100 << 20})
	for _, n := range []int{40 << 20, 60 << 20, 65 << 20, 100 << 20} {
		s, err := p.GetSize(n)
		if err != nil || s.Size() < n {
			t.Fatal(s, err)
		}
		put(t, p, s)
	}
}

// Any size is served by a stack of at least that size, and less than twice as
// large, and its stack serves the next one who asks the same.
func TestAnySizeIsServedFromItsClass(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, err := New(Config{Size: rapid.IntRange(1, 1<<20).Draw(t, "main")})
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range rapid.SliceOfN(rapid.IntRange(1, MaxClass), 1, 10).Draw(t, "sizes") {
			s, err := p.GetSize(n)
			if err != nil || s.Size() < n || s.Size() >= 2*max(n, MinClass)+int(pageSize) {
				t.Fatalf("asked for %d: %v, %v", n, s, err)
			}
			if err := p.Put(s); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestALimitOnStacksCountsAllSizes(t *testing.T) {
	p := newTest(t, Config{MaxStacks: 3})
	a := get(t, p, 2)
	b, err := p.GetSize(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.GetSize(8 << 10)
	wantErr(t, err, ErrStackLimit, "MaxStacks")
	put(t, p, a...)
	c, err := p.GetSize(8 << 10) // the pool makes room by unmapping the arena of a
	if err != nil {
		t.Fatal(err)
	}
	put(t, p, b, c)
}

func TestCloseCoversAllSizes(t *testing.T) {
	w := watch()
	p, err := newPool(Config{}, w)
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.GetSize(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	put(t, p, get(t, p, 3)...)
	wantErr(t, p.Close(), ErrLiveStacks, "1 live")
	_, err = p.GetSize(32 << 10) // a class that did not exist
	wantErr(t, err, ErrClosed)
	_, err = p.GetSize(1 << 20)
	wantErr(t, err, ErrClosed)
	put(t, p, s)
	w.checkEmpty(t)
}
