//go:build linux

package runtime

import (
	"os"
	"os/signal"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestSignalsHitEveryInstructionOfASwitch sends preemption requests, profiling
// ticks and a signal of the user's as fast as it can, while coroutines three deep
// do nothing but switch.
func TestSignalsHitEveryInstructionOfASwitch(t *testing.T) {
	user := make(chan os.Signal, 1)
	signal.Notify(user, unix.SIGUSR1)
	defer signal.Stop(user)
	runtime.SetCPUProfileRate(5000)
	defer runtime.SetCPUProfileRate(0)

	var stop atomic.Bool
	var sent, switches atomic.Int64
	var senders, workers sync.WaitGroup
	senders.Go(func() {
		for i := 0; !stop.Load(); i++ {
			sig := unix.SIGURG
			if i%16 == 0 {
				sig = unix.SIGUSR1
			}
			if err := unix.Kill(unix.Getpid(), sig); err != nil {
				t.Error(err)
				return
			}
			sent.Add(1)
			if i%64 == 0 {
				runtime.Gosched()
			}
		}
	})
	deadline := time.Now().Add(stressFor() / 2)
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			inner := func(y Yielder[int, int], in int) int {
				for {
					in = y.Yield(in + 1)
				}
			}
			middle := func(y Yielder[int, int], in int) int {
				c := NewCoroutine(inner)
				defer c.Close()
				for {
					out, err := c.Resume(in)
					if err != nil {
						t.Error(err)
					}
					in = y.Yield(out + 1)
				}
			}
			c := NewCoroutine(middle)
			defer c.Close()
			for i := 0; time.Now().Before(deadline); i++ {
				for range 1000 {
					out, err := c.Resume(i)
					if err != nil || out != i+2 {
						t.Errorf("Resume(%d) = %d, %v", i, out, err)
						return
					}
				}
				switches.Add(4000)
			}
		})
	}
	workers.Wait()
	stop.Store(true)
	senders.Wait()
	t.Logf("%d signals sent during %d switches", sent.Load(), switches.Load())
}
