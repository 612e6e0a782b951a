//go:build linux

package runtime_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	green "greenthread/runtime"
)

// An idle runtime: 10,000 threads that are parked, and nothing else.

const idleThreads = 10_000

func init() {
	roles["idle"] = func() {
		d, err := time.ParseDuration(os.Getenv("GREENTHREAD_TEST_IDLE"))
		if err != nil {
			panic(err)
		}
		threads := make([]*green.Thread, idleThreads)
		for i := range threads {
			if threads[i], err = green.Go(green.Park); err != nil {
				panic(err)
			}
		}
		for _, t := range threads {
			for t.Waits() != green.WaitPark {
				time.Sleep(time.Millisecond)
			}
		}
		time.Sleep(time.Second) // until the monitor and the carriers sleep
		before := usage()
		time.Sleep(d)
		after := usage()
		cpu := time.Duration(after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano())
		fmt.Println(after.Nvcsw-before.Nvcsw, after.Nivcsw-before.Nivcsw, int64(cpu))
	}
}

func usage() (u unix.Rusage) {
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return u
}

// TestIdleRuntimeDoesNothing counts how often any kernel thread of the process has gone to
// sleep, which each poll would do. With GREENTHREAD_STRESS it looks for 10 s; the CPU time
// is only told.
func TestIdleRuntimeDoesNothing(t *testing.T) {
	d := time.Second
	if os.Getenv("GREENTHREAD_STRESS") != "" {
		d = 10 * time.Second
	}
	out, err := runChild(t, childRole("idle", "GREENTHREAD_TEST_IDLE="+d.String()))
	var sleeps, preempted, cpu int64
	if n, _ := fmt.Sscan(out, &sleeps, &preempted, &cpu); err != nil || n != 3 {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%d parked threads for %v: %d sleeps of kernel threads, %d preemptions, %v of CPU, %.4f%% of one core",
		idleThreads, d, sleeps, preempted, time.Duration(cpu), 100*float64(cpu)/float64(d))
	// The sleeper's own timer costs a few; a poll every 10 ms would cost a hundred a second.
	if perSecond := float64(sleeps) / d.Seconds(); perSecond > 60 {
		t.Errorf("%.0f sleeps a second", perSecond)
	}
}
