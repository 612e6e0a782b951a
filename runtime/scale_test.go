package runtime

import (
	"bytes"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"testing"
	"time"
)

// TestHundredThousandSuspended counts what as many suspended coroutines cost.
func TestHundredThousandSuspended(t *testing.T) {
	needsNative(t)
	const n = 100_000
	Trim(0)
	debug.FreeOSMemory()
	rss, maps := resident(t), memoryMaps(t)
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
	spawn := time.Since(start) / n
	start = time.Now()
	runtime.GC()
	collection := time.Since(start)
	debug.FreeOSMemory() // what is counted is what lives, not what the heap keeps free
	perThread := (resident(t) - rss) / n
	more := memoryMaps(t) - maps
	t.Logf("%d bytes resident each, %d memory maps more, %v to start each, a collection in %v", perThread, more, spawn, collection)
	if perThread > 8<<10 && !raceEnabled {
		t.Errorf("%d bytes resident for each suspended coroutine, 8 KiB are enough", perThread)
	}
	if more > 1000 {
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
