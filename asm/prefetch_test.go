//go:build linux && (amd64 || arm64) && !greenthread_unknown_go

package asm

import (
	"runtime"
	"testing"
)

// TestPrefetchOnlyLooks: whoever is asked for, whether it waits, runs or has ended, nothing
// happens to it.
func TestPrefetchOnlyLooks(t *testing.T) {
	if code := decode(prefetchAddress()); code.locked != 0 || len(code.calls) != 0 {
		t.Errorf("%d locked instructions, %d calls", code.locked, len(code.calls))
	}
	q := newPingPong()
	waiting, me := q.c.Goroutine(), Self()
	for i := range 1000 {
		waiting.Prefetch()
		if e := q.c.Enter(); e != EventYield {
			t.Fatal(e)
		}
		me.Prefetch()
		if i%100 == 0 {
			runtime.GC()
		}
	}
	if q.n != 1000 {
		t.Error(q.n)
	}
	q.end(t)
	waiting.Prefetch()
}
