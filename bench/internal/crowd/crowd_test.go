package crowd

import (
	"errors"
	"os"
	"strings"
	"testing"

	"greenthread/bench/internal/child"
	"greenthread/bench/internal/measure"
)

func TestMain(m *testing.M) {
	child.Run(Tasks)
	os.Setenv("GORACE", "atexit_sleep_ms=0") // for the children
	os.Exit(m.Run())
}

// open opens a sampler, where the system tells what it needs.
func open(t *testing.T, kind string) measure.Sampler {
	t.Helper()
	s, err := Open(kind)
	var unavailable measure.Unavailable
	if errors.As(err, &unavailable) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestCrowdIsMadeAndMeasuredInAProcessOfItsOwn(t *testing.T) {
	const n = 2000
	for kind, least := range map[string]float64{"green": 4096, "coroutine": 4096, "goroutine": 1024} {
		r, err := open(t, kind).Sample(t.Context(), measure.NewClock(), n)
		if err != nil {
			if kind != "goroutine" && strings.Contains(err.Error(), "portable") {
				continue
			}
			t.Fatalf("%s: %v", kind, err)
		}
		if r.Ops != n || r.Elapsed <= 0 || len(r.Further) != 5 {
			t.Errorf("%s: %+v", kind, r)
		}
		if got := r.Further[ResidentBytes]; got < least || got > 64<<10 {
			t.Errorf("%s: %v bytes resident per thread, want %v or somewhat more", kind, got, least)
		}
		if r.Further[Maps] < 5 || r.Further[CollectionMS] <= 0 {
			t.Errorf("%s: %v maps, %v ms", kind, r.Further[Maps], r.Further[CollectionMS])
		}
		if idle, told := r.Further[IdlePercent]; !told || idle >= 100 {
			t.Errorf("%s: %v %% of a CPU when idle", kind, idle)
		}
	}
}

func TestCrowdThatWouldNotFindRoomIsLeftOut(t *testing.T) {
	if err := HasRoom(1); err != nil {
		t.Errorf("there is no room for one thread: %v", err)
	}
	if _, err := os.Stat("/proc/meminfo"); err != nil {
		t.Skip("the system does not tell: ", err)
	}
	var unavailable measure.Unavailable
	if err := HasRoom(1 << 40); !errors.As(err, &unavailable) || !strings.Contains(err.Error(), "GiB") {
		t.Errorf("the error is %v", err)
	}
}

func TestKibFindsTheLineOfTheKey(t *testing.T) {
	const text = "00-ff ---p 00:00 0 [rollup]\nRss:               13 kB\nRssOther:  7 kB\nBad: x kB\n"
	if got, err := kib(text, "Rss"); got != 13<<10 || err != nil {
		t.Errorf("Rss is %d, %v", got, err)
	}
	for _, key := range []string{"Bad", "Pss"} {
		if got, err := kib(text, key); err == nil {
			t.Errorf("%s is %d", key, got)
		}
	}
}
