package runtime

import (
	"bytes"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"testing"
	"time"

	"greenthread/stackpool"
)

// TestHundredThousandSuspended counts what as many suspended coroutines cost.
func TestHundredThousandSuspended(t *testing.T) {
	needsNative(t)
	n, maps := 100_000, 1000 // memory maps that may be added
	if guardsCostMaps(t) {
		n = 10_000
		maps += 2 * n
		t.Logf("only %d: each guard costs two memory maps, of which a process may have 65,530", n)
	}
	Trim(0)
	debug.FreeOSMemory()
	rss, before := resident(t), memoryMaps(t)
	start := time.Now()
	all := make([]*Coroutine[int, int], n)
	for i := range all {
		all[i] = NewCoroutine(func(y Yielder[int, int], in int) int {
			for {
				in = y.Yield(in + 1)
			}
		})
		if out, err := all[i].Resume(i); out != i+1 || err != nil {
			t.Fatal(i, out, err)
		}
	}
	spawn := time.Since(start) / time.Duration(n)
	start = time.Now()
	runtime.GC()
	collection := time.Since(start)
	debug.FreeOSMemory() // what is counted is what lives, not what the heap keeps free
	perThread := (resident(t) - rss) / n
	more := memoryMaps(t) - before
	t.Logf("%d bytes resident each, %d memory maps more, %v to start each, a collection in %v", perThread, more, spawn, collection)
	if Emulated() {
		t.Log("what is resident is the emulator's, too")
	} else if perThread > 8<<10 && !raceEnabled {
		t.Errorf("%d bytes resident for each suspended coroutine, 8 KiB are enough", perThread)
	}
	if more > maps {
		t.Errorf("%d memory maps more", more)
	}
	for i, c := range all {
		if out, err := c.Resume(i); out != i+1 || err != nil {
			t.Fatal(i, out, err)
		}
		if err := c.Close(); err != nil {
			t.Fatal(i, err)
		}
	}
	Trim(0)
}

// guardsCostMaps reports whether guards are made by mprotect here.
func guardsCostMaps(t *testing.T) bool {
	t.Helper()
	c, err := stacksOf(0)
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.stacks.Get()
	if err != nil {
		t.Fatal(err)
	}
	costs := s.Guard() != stackpool.GuardMadvise
	if err := c.stacks.Put(s); err != nil {
		t.Fatal(err)
	}
	return costs
}

func resident(t *testing.T) int {
	t.Helper()
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.Atoi(string(bytes.Fields(b)[1]))
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

func memoryMaps(t *testing.T) int {
	t.Helper()
	b, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Count(b, []byte{'\n'})
}
