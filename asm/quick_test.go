//go:build linux && amd64

package asm

import (
	"iter"
	"runtime"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"
	"unsafe"
)

type qt struct {
	c      Context
	parked atomic.Uint32
	n      int
	stop   bool
}

func (q *qt) loop() {
	q.c.Begin(&q.parked)
	for !q.stop {
		q.n++
		q.c.Leave()
	}
	q.c.Release()
}

var hand = make(chan *qt, 1)

func anchor() { (<-hand).c.Adopt() }

func newqt() *qt {
	m, err := unix.Mmap(-1, 0, 1<<18, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		panic(err)
	}
	base := uintptr(unsafe.Pointer(&m[0]))
	q := &qt{}
	q.c.Init(Bounds{GuardBottom: base, Bottom: base + 65536, Top: base + 131072}, 1, q.loop, nil)
	hand <- q
	go anchor()
	for q.parked.Load() == 0 {
		runtime.Gosched()
	}
	return q
}

func TestQuick(t *testing.T) {
	q := newqt()
	for i := range 1000 {
		if e := q.c.Enter(); e != EventYield {
			t.Fatal(e)
		}
		if i%100 == 0 {
			runtime.GC()
		}
	}
	if q.n != 1000 {
		t.Fatal(q.n)
	}
}

func BenchmarkSwitch(b *testing.B) {
	q := newqt()
	b.ResetTimer()
	for range b.N {
		q.c.Enter()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/2, "ns/switch")
}

func BenchmarkIterPull(b *testing.B) {
	next, stop := iter.Pull(func(yield func(int) bool) {
		for yield(1) {
		}
	})
	defer stop()
	b.ResetTimer()
	for range b.N {
		next()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/2, "ns/switch")
}

var word uint32

func BenchmarkCAS(b *testing.B) {
	for range b.N {
		atomic.CompareAndSwapUint32(&word, 0, 0)
	}
}

func init() { mustCheck() }
func mustCheck() {
	if err := Check(); err != nil {
		panic(err)
	}
}
