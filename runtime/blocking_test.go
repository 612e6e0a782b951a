//go:build unix

package runtime

import (
	"net"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A blocking is a way to block in Go: block does, until release is called.
type blocking struct{ block, release func() }

// blockings are the ways in which a thread may block in Go, but for C (see cgotest).
var blockings = map[string]func(t *testing.T) blocking{
	"channel": func(*testing.T) blocking {
		c := make(chan int)
		return blocking{func() { <-c }, func() { close(c) }}
	},
	"select": func(*testing.T) blocking {
		c := make(chan int)
		return blocking{func() {
			select {
			case <-c:
			case <-time.After(time.Hour):
			}
		}, func() { close(c) }}
	},
	"sync.Mutex": func(*testing.T) blocking {
		var m sync.Mutex
		m.Lock()
		return blocking{m.Lock, m.Unlock}
	},
	"sync.WaitGroup": func(*testing.T) blocking {
		var wg sync.WaitGroup
		wg.Add(1)
		return blocking{wg.Wait, wg.Done}
	},
	"network": func(t *testing.T) blocking {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Skip("there is no loopback network here: ", err)
		}
		return blocking{func() {
			if c, err := l.Accept(); err == nil {
				t.Error(c, "has called")
			}
		}, func() { l.Close() }}
	},
	"system call": func(t *testing.T) blocking {
		var ends [2]int
		if err := unix.Pipe(ends[:]); err != nil { // Go's poller does not know it
			t.Fatal(err)
		}
		return blocking{func() {
			if n, err := unix.Read(ends[0], make([]byte, 1)); n != 0 || err != nil {
				t.Errorf("read %d bytes: %v", n, err)
			}
			unix.Close(ends[0])
		}, func() { unix.Close(ends[1]) }}
	},
	"another process": func(t *testing.T) blocking {
		c := exec.Command("cat")
		in, err := c.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		return blocking{func() {
			if err := c.Run(); err != nil {
				t.Error(err)
			}
		}, func() { in.Close() }}
	},
}

// TestWhateverBlocksInGoIsReplaced blocks the only carrier in each way: others run meanwhile,
// the one that has blocked goes on, and the spare carriers retire.
func TestWhateverBlocksInGoIsReplaced(t *testing.T) {
	for name, way := range blockings {
		t.Run(name, func(t *testing.T) {
			watch(t)
			r := runtimeOf(t, 1)
			w := way(t)
			blocked := start(t, r, w.block)
			for blocked.State() != StateRunning {
				time.Sleep(10 * time.Microsecond)
			}
			for range 10 {
				join(t, start(t, r, func() { Yield(); Sleep(time.Microsecond) }))
			}
			if blocked.over() {
				t.Error("it has not blocked")
			}
			w.release()
			join(t, blocked)
			untilRetired(t, r, 1)
		})
	}
}

// BenchmarkBlockedCarrierIsReplaced reports how long a thread waits for its turn that stands
// behind one which blocks the only carrier.
func BenchmarkBlockedCarrierIsReplaced(b *testing.B) {
	r := runtimeOf(b, 1)
	waited := make([]time.Duration, b.N)
	for i := range waited {
		c := make(chan int)
		var behind *Thread
		join(b, start(b, r, func() {
			began := time.Now()
			behind = start(b, r, func() { waited[i] = time.Since(began); close(c) })
			<-c
		}))
		join(b, behind)
	}
	slices.Sort(waited)
	b.ReportMetric(float64(waited[0]), "min-ns-waited")
	b.ReportMetric(float64(waited[len(waited)/2]), "p50-ns-waited")
	b.ReportMetric(float64(waited[len(waited)*99/100]), "p99-ns-waited")
}
