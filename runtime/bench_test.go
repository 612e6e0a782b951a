package runtime

import (
	"iter"
	"sync"
	"testing"
)

func BenchmarkResumeYield(b *testing.B) {
	c := NewCoroutine(func(y Yielder[int, int], in int) int {
		for {
			in = y.Yield(in)
		}
	})
	defer c.Close()
	b.ReportAllocs()
	for range b.N {
		c.Resume(1)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/2, "ns/switch")
}

func endless(yield func(int) bool) {
	for i := 0; yield(i); i++ {
	}
}

func BenchmarkPull(b *testing.B) {
	next, stop := Pull(endless)
	defer stop()
	b.ReportAllocs()
	for range b.N {
		next()
	}
}

func BenchmarkIterPull(b *testing.B) {
	next, stop := iter.Pull(endless)
	defer stop()
	b.ReportAllocs()
	for range b.N {
		next()
	}
}

func BenchmarkDo(b *testing.B) {
	fn := func() {}
	b.ReportAllocs()
	for range b.N {
		Do(fn)
	}
}

func BenchmarkGoWait(b *testing.B) {
	var wg sync.WaitGroup
	for range b.N {
		wg.Add(1)
		go wg.Done()
		wg.Wait()
	}
}
