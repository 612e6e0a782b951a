package futex_test

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"greenthread/futex"
)

// The round trip through a Parker against that of a C program by bare futexes, taken in turns: the median of the ratios of
// eleven pairs holds on a machine that is busy with other things too. Below 1, the Parker is faster.
func BenchmarkRoundTripAgainstC(b *testing.B) {
	program := filepath.Join(b.TempDir(), "roundtrip")
	if out, err := exec.Command("cc", "-O2", "-pthread", "-o", program, "testdata/roundtrip.c").CombinedOutput(); err != nil {
		b.Skipf("no C compiler: %v %s", err, out)
	}
	for _, spinning := range []bool{false, true} {
		name := "sleeping at once"
		if spinning {
			name = "spinning first"
		}
		b.Run(name, func(b *testing.B) {
			defer futex.SetSpinning(spinning)()
			const trips = 4000
			var ours, theirs, ratios []float64
			for range 11 {
				out, err := exec.Command(program, strconv.Itoa(trips)).Output()
				if err != nil {
					b.Fatal(err)
				}
				c, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
				if err != nil {
					b.Fatal(err)
				}
				mine := float64(parkerTrips(trips).Nanoseconds()) / trips
				ours, theirs, ratios = append(ours, mine), append(theirs, c), append(ratios, mine/c)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(median(ours), "ns/parker")
			b.ReportMetric(median(theirs), "ns/C")
			b.ReportMetric(median(ratios), "parker/C")
		})
	}
}

// parkerTrips is parkerRoundTrip without a benchmark's own loop.
func parkerTrips(n int) time.Duration {
	var ping, pong futex.Parker
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		for range n {
			ping.Park()
			pong.Unpark()
		}
	}()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start := time.Now()
	for range n {
		ping.Unpark()
		pong.Park()
	}
	took := time.Since(start)
	<-done
	return took
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}
