package runtime

import (
	"os"
	"testing"

	"greenthread/stackpool"
)

// TestThreadsWithStacksOfTheirOwn: the options of Go win over those of the runtime, whose
// other threads keep theirs.
func TestThreadsWithStacksOfTheirOwn(t *testing.T) {
	needsNative(t)
	watch(t)
	pool, err := stackpool.New(stackpool.Config{Size: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	r := runtimeOf(t, 2)
	left := func(options ...Option) (bytes int) {
		join(t, start(t, r, func() {
			Yield()
			bytes, _ = Remaining()
		}, options...))
		return bytes
	}
	between := func(what string, got, low, high int) {
		t.Helper()
		if got <= low || got > high+os.Getpagesize() { // the tops of stacks are staggered over a page more
			t.Errorf("%s: %d bytes are left of a stack of %d", what, got, high)
		}
	}
	for range 3 {
		between("the runtime's", left(), DefaultStackSize/2, DefaultStackSize)
		between("WithStackSize", left(WithStackSize(4<<20)), 2<<20, 4<<20)
		between("WithPool", left(WithPool(pool)), 1<<19, 1<<20)
	}
	th := start(t, r, Park, WithPool(pool))
	if n := pool.Stats().Live; n < 1 {
		t.Errorf("%d stacks of the pool are used by a thread that waits", n)
	}
	th.Unpark()
	join(t, th)
}
