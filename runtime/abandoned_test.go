package runtime

import (
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"greenthread/internal/nap"
)

// TestWhatCannotBeClosedFromOutsideIsLeft: the collector finds that nobody can reach it any more,
// but who would close it is on another kernel thread, or outside of the bubble.
func TestWhatCannotBeClosedFromOutsideIsLeft(t *testing.T) {
	out, parent := inChild(t)
	if !parent {
		drop(runtime.LockOSThread)
		fmt.Println("left on its kernel thread")
		synctest.Test(t, func(*testing.T) {
			drop(func() {})
			fmt.Println("left in its bubble")
		})
		return
	}
	for _, want := range []string{
		"left on its kernel thread", "left in its bubble",
		"main bubble goroutine has exited but blocked goroutines remain", // Go's word for that
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the program has not said %q:\n%s", want, out)
		}
	}
}

// drop leaves behind a coroutine and two iterations that have begun with that call, and lets the
// collector find them.
func drop(begin func()) {
	var found atomic.Int32
	func() {
		c := NewCoroutine(func(y Yielder[int, int], in int) int {
			begin()
			for {
				in = y.Yield(in)
			}
		})
		runtime.AddCleanup(c, func(n *atomic.Int32) { n.Add(1) }, &found)
		_, _ = c.Resume(1)
		next, _ := Pull(func(yield func(int) bool) {
			begin()
			for yield(1) {
			}
		})
		next()
		next2, _ := Pull2(func(yield func(int, int) bool) {
			begin()
			for yield(1, 2) {
			}
		})
		next2()
	}()
	for rounds := 0; rounds < 20 || found.Load() == 0; rounds++ {
		runtime.GC()
		nap.For(time.Millisecond) // for the cleanups, whose time is not that of a bubble
	}
}
