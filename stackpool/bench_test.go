//go:build linux

package stackpool

import (
	"testing"
)

func BenchmarkGetPutWarm(b *testing.B) {
	p, err := New(Config{})
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	s, err := p.Get()
	if err != nil {
		b.Fatal(err)
	}
	p.Put(s)
	b.ReportAllocs()
	for b.Loop() {
		s, err := p.Get()
		if err != nil {
			b.Fatal(err)
		}
		if err := p.Put(s); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkGetPutWarmParallel(b *testing.B) {
	p, err := New(Config{})
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			s, err := p.Get()
			if err != nil {
				b.Error(err)
				return
			}
			if err := p.Put(s); err != nil {
				b.Error(err)
				return
			}
		}
	})
}
