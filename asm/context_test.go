//go:build linux && (amd64 || arm64) && !greenthread_unknown_go

package asm

import (
	"runtime"
	"sync/atomic"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A pingPong is a context that leaves as often as it is entered.
type pingPong struct {
	c      Context
	parked atomic.Uint32
	n      int
	stop   bool
	ended  atomic.Bool
}

func (q *pingPong) loop(c *Context) {
	if c != &q.c {
		panic("the entry got another context")
	}
	q.c.Begin(&q.parked)
	for !q.stop {
		q.n++
		q.c.Leave()
	}
	q.c.Release()
}

var handed = make(chan *pingPong, 1)

// adopted is the goroutine of a pingPong.
func adopted() {
	q := <-handed
	q.c.Adopt()
	q.ended.Store(true)
}

func newPingPong() *pingPong {
	m, err := unix.Mmap(-1, 0, 1<<18, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		panic(err)
	}
	base := uintptr(unsafe.Pointer(&m[0]))
	q := &pingPong{}
	q.c.Init(Bounds{GuardBottom: base, Bottom: base + 65536, Top: base + 131072}, 1, &Bodies{Entry: q.loop})
	handed <- q
	go adopted()
	for q.parked.Load() == 0 {
		runtime.Gosched()
	}
	return q
}

func TestEnterAndLeaveAlternate(t *testing.T) {
	q := newPingPong()
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
	q.end(t)
}

// end lets the goroutine go back to its own stack and return.
func (q *pingPong) end(t *testing.T) {
	t.Helper()
	g := q.c.g
	top := *at[uintptr](g + gStktopsp)
	if top != q.c.top-entrySlack || *at[uintptr](g + gStackguard1) == ^uintptr(0) {
		t.Errorf("the goroutine is not adopted: top %#x, want %#x", top, q.c.top-entrySlack)
	}
	q.stop = true
	q.c.Ready()
	for !q.ended.Load() {
		runtime.Gosched()
	}
}

func TestOnlyTheContextItselfMayLeave(t *testing.T) {
	q := newPingPong()
	q.c.Enter()
	defer q.end(t)
	defer func() {
		if err := recover(); err != ErrStranger {
			t.Errorf("recovered %v", err)
		}
		if q.c.Enter() != EventYield || q.n != 2 {
			t.Error("the context has suffered")
		}
	}()
	q.c.Leave()
}

func BenchmarkSwitch(b *testing.B) {
	q := newPingPong()
	b.ResetTimer()
	for range b.N {
		q.c.Enter()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/2, "ns/switch")
}

func init() {
	if err := Check(); err != nil {
		panic(err)
	}
}
