//go:build linux

package stackpool

import (
	"fmt"
	"testing"

	"golang.org/x/sys/unix"
)

// newBench makes a pool for a benchmark.
func newBench(b *testing.B, c Config) *Pool {
	b.Helper()
	p, err := New(c)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { p.Close() })
	return p
}

// processorTime returns what the process has used of all processors, in ns.
func processorTime(b *testing.B) int64 {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

// turn takes a stack and gives it back.
func turn(b *testing.B, p *Pool) {
	s, err := p.Get()
	if err != nil {
		b.Error(err)
		return
	}
	if err := p.Put(s); err != nil {
		b.Error(err)
	}
}

// The fast path: Get and Put of a stack that is cached.
func BenchmarkGetPutWarm(b *testing.B) {
	p := newBench(b, Config{})
	turn(b, p)
	b.ReportAllocs()
	for b.Loop() {
		turn(b, p)
	}
}

// Without magazines, one lock for all: what the depot costs.
func BenchmarkGetPutDepot(b *testing.B) {
	for _, order := range []Order{LIFO, FIFO, LowestFirst} {
		b.Run(order.String(), func(b *testing.B) {
			p := newBench(b, Config{Order: order, Magazine: -1})
			put(b, p, get(b, p, 1000)...)
			b.ReportAllocs()
			for b.Loop() {
				turn(b, p)
			}
		})
	}
}

// Get on one goroutine, Put on another: by half magazines through the depot.
func BenchmarkGetPutAcross(b *testing.B) {
	p := newBench(b, Config{})
	pipe := make(chan []*Stack, 4)
	back := make(chan []*Stack, 4)
	for range cap(back) {
		back <- make([]*Stack, 0, 64)
	}
	done := make(chan struct{})
	go func() {
		for batch := range pipe {
			put(b, p, batch...)
			back <- batch[:0]
		}
		close(done)
	}()
	b.ReportAllocs()
	batch := <-back
	for b.Loop() {
		s, err := p.Get()
		if err != nil {
			b.Fatal(err)
		}
		if batch = append(batch, s); len(batch) == cap(batch) {
			pipe <- batch
			batch = <-back
		}
	}
	pipe <- batch
	close(pipe)
	<-done
}

// What an outsider pays for the owners' cheap way in.
func BenchmarkSeize(b *testing.B) {
	p := newBench(b, Config{})
	p.grow.Lock()
	defer p.grow.Unlock()
	for b.Loop() {
		p.main.seize()
		p.main.unseize()
	}
}

// The fast path from all processors at once; the time is per Get and Put of any of
// them, and so half of what one takes where two run at the same time. What
// they take of the processors tells whether they hinder each other, also where
// something else is running.
func BenchmarkGetPutWarmParallel(b *testing.B) {
	p := newBench(b, Config{})
	b.ReportAllocs()
	before := processorTime(b)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			turn(b, p)
		}
	})
	b.ReportMetric(float64(processorTime(b)-before)/float64(b.N), "cpu-ns/op")
}

// A Get that cuts a new slot, and its share of mapping and unmapping arenas.
func BenchmarkGetCold(b *testing.B) {
	for _, kind := range append(kinds(b), GuardNone) {
		b.Run(kind.String(), func(b *testing.B) { getCold(b, Config{GuardKind: kind}) })
	}
	for _, guard := range []int{4 << 10, 128 << 10, 192 << 10, 256 << 10, 512 << 10, 1 << 20, 4 << 20} {
		for _, kind := range kinds(b) {
			b.Run(fmt.Sprintf("%v/%dk", kind, guard>>10), func(b *testing.B) { getCold(b, Config{GuardKind: kind, Guard: guard}) })
		}
	}
}

// getCold makes 1,000 stacks at a time.
func getCold(b *testing.B, c Config) {
	const batch = 1000
	p := newBench(b, c)
	stacks := make([]*Stack, batch)
	for b.Loop() {
		for i := range stacks {
			stacks[i], _ = p.Get()
		}
		for _, s := range stacks {
			p.Put(s)
		}
		p.Trim(0)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*batch), "ns/stack")
}

// What a program does that has no pool: map, guard, touch, unmap.
func BenchmarkMapGuardTouchUnmap(b *testing.B) {
	const size, guard = DefaultSize, DefaultGuard
	var k kernel
	for b.Loop() {
		base, err := k.reserve(guard+size, accessReadWrite, HugeNever)
		if err != nil {
			b.Fatal(err)
		}
		if err := k.protect(base, guard, accessNone); err != nil {
			b.Fatal(err)
		}
		*(*byte)(foreign(base + guard + size - 1)) = 1
		if err := k.unmap(base, guard+size); err != nil {
			b.Fatal(err)
		}
	}
}

// How deep a 64 KiB stack has been of which one page was touched.
func BenchmarkHighWater(b *testing.B) {
	p := newBench(b, Config{})
	s, err := p.Get()
	if err != nil {
		b.Fatal(err)
	}
	defer p.Put(s)
	s.Bytes()[s.Size()-1] = 1
	b.ReportAllocs()
	for b.Loop() {
		if n, err := s.HighWater(); n == 0 || err != nil {
			b.Fatal(n, err)
		}
	}
}

// One stack goes round, of which four pages are touched each time, under each
// policy: what the policy costs and what it makes the user pay.
func BenchmarkPolicy(b *testing.B) {
	for _, policy := range []Policy{KeepAll(), DefaultPolicy(), KeepTop(4*int(pageSize), false), KeepTop(int(pageSize), false),
		DiscardAll(), FreeLazily(), UnmapAll(), Batched(DiscardAll(), 64)} {
		b.Run(fmt.Sprint(policy), func(b *testing.B) {
			p := newBench(b, Config{Policy: policy})
			for b.Loop() {
				s, err := p.Get()
				if err != nil {
					b.Fatal(err)
				}
				for page := range uintptr(4) {
					*(*byte)(foreign(s.Top() - page*pageSize - 1)) = 1
				}
				if err := p.Put(s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Discarding 512 pieces of a page, each a stack of its own, by one call or by 512.
func BenchmarkAdviseAll(b *testing.B) {
	const n = 512
	var k kernel
	base, err := k.reserve(2*n*pageSize, accessReadWrite, HugeNever)
	if err != nil {
		b.Fatal(err)
	}
	defer k.unmap(base, 2*n*pageSize)
	pieces := make([]span, n)
	for i := range pieces {
		pieces[i] = span{base + uintptr(2*i)*pageSize, pageSize}
	}
	for name, advise := range map[string]func([]span, advice) error{"together": k.adviseAll, "each": k.adviseEach} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				for _, piece := range pieces {
					*(*byte)(foreign(piece.addr)) = 1
				}
				b.StartTimer()
				if err := advise(pieces, adviceDontNeed); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/piece")
		})
	}
}

// The two lines at the top of each of 512 stacks, one stack after the other, as by
// as many threads that are switched in turn.
func BenchmarkColours(b *testing.B) {
	for _, n := range []int{1, 64} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			const stacks = 512
			p := newBench(b, Config{Colours: n})
			all := get(b, p, stacks)
			for _, s := range all {
				*(*byte)(foreign(s.Top() - 1)) = 1
				*(*byte)(foreign(s.Top() - 4097)) = 1
			}
			tops := make([]uintptr, stacks)
			for i, s := range all {
				tops[i] = s.Top()
			}
			for b.Loop() {
				for _, top := range tops {
					*(*uint64)(foreign(top - 8))++
					*(*uint64)(foreign(top - 72))++
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*stacks), "ns/stack")
			put(b, p, all...)
		})
	}
}

// A new stack of which eight pages are touched, with and without asking for them
// first.
func BenchmarkPrefault(b *testing.B) {
	for _, n := range []int{0, 8} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p := newBench(b, Config{Policy: DiscardAll(), Prefault: n * int(pageSize)})
			for b.Loop() {
				s, err := p.Get()
				if err != nil {
					b.Fatal(err)
				}
				for page := range uintptr(8) {
					*(*byte)(foreign(s.Top() - page*pageSize - 1)) = 1
				}
				put(b, p, s)
			}
		})
	}
}
