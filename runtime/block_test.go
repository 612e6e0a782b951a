package runtime

import (
	"testing"
	"time"
)

// TestBlockHandsTheCarrierOver blocks the only carrier in a way that the monitor does not
// see: by computing.
func TestBlockHandsTheCarrierOver(t *testing.T) {
	watch(t)
	r := runtimeOf(t, 1)
	var other *Thread
	join(t, start(t, r, func() {
		other = start(t, r, func() {})
		Block(func() {
			for !other.over() {
			}
		})
		if Current() == nil {
			t.Error("the thread is lost")
		}
	}))
	join(t, other)
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(time.Millisecond) {
		s := r.Stats()
		if s.Carriers == 1 && s.Blocked == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the spare does not retire: %+v", s)
		}
		join(t, start(t, r, Yield))
	}
}

func TestManyThreadsInBlock(t *testing.T) {
	watch(t)
	r := runtimeOf(t, 2)
	const n = 50
	release := make(chan bool)
	var threads []*Thread
	for range n {
		threads = append(threads, start(t, r, func() {
			Block(func() { <-release })
			Yield()
			Block(func() { Yield() }) // it may come to another carrier
		}))
	}
	join(t, start(t, r, func() {})) // it does not wait for those that block
	close(release)
	join(t, threads...)
	untilRetired(t, r, 2)
	for _, c := range *r.all.Load() {
		if n := c.away.Load(); n != 0 {
			t.Errorf("%d threads in Block at the end", n)
		}
	}
}

func TestBlockPassesPanicsAndGoroutines(t *testing.T) {
	watch(t)
	ran := false
	Block(func() { ran = true })
	if !ran {
		t.Error("it does not run on a goroutine")
	}
	r := runtimeOf(t, 1)
	join(t, start(t, r, func() {
		wantMessage(t, "boom", func() { Block(func() { panic("boom") }) })
	}))
	for _, c := range *r.all.Load() {
		if c.away.Load() != 0 {
			t.Error("still in Block after a panic")
		}
	}
}
