package runtime_test

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	green "greenthread/runtime"
)

// What the race detector sees of switches. Without it, these tests check the
// values only.

// TestHandedOverValuesAreNoRace writes to shared memory on both sides, in turn,
// with goroutines that take turns, too.
func TestHandedOverValuesAreNoRace(t *testing.T) {
	shared := map[int]int{}
	c := green.NewCoroutine(func(y green.Yielder[*int, *int], in *int) *int {
		defer func() { shared[-1]++ }()
		for {
			*in++
			shared[*in]++
			out := new(int)
			*out = *in + 1
			in = y.Yield(out)
			*out++ // still ours
		}
	})
	next, stop := green.Pull(func(yield func(*int) bool) {
		defer func() { shared[-1]++ }()
		for i := 0; ; i++ {
			v := new(int)
			shared[i]++
			if !yield(v) {
				return
			}
			*v++
		}
	})
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 200 {
				mu.Lock()
				n := i
				out := must2(c.Resume(&n))(t)
				shared[n]++
				if n != i+1 || *out != i+2 {
					t.Errorf("%d, %d", n, *out)
				}
				v, ok := next()
				if !ok || *v != 0 {
					t.Error("next")
				}
				shared[-2]++
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
	stop()
	wantError(t, c.Close(), nil)
	if shared[-1] != 2 || shared[-2] != 800 {
		t.Error(shared[-1], shared[-2])
	}
}

// TestTheLoserIsNoRace has goroutines compete without any other synchronization:
// it is Resume that makes the winner see what the last winner did.
func TestTheLoserIsNoRace(t *testing.T) {
	shared := 0
	c := green.NewCoroutine(func(y green.Yielder[int, int], _ int) int {
		for {
			shared++
			shared += y.Yield(shared)
		}
	})
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 2000 {
				c.Resume(1)
			}
		}()
	}
	wg.Wait()
	wantError(t, c.Close(), nil)
}

// TestWarmThreadsAreNoRace runs functions of many goroutines on the same
// threads: by return, panic and Goexit, with everything dropped or closed.
func TestWarmThreadsAreNoRace(t *testing.T) {
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 50 {
				local := map[int]int{}
				work := func() {
					for n := range 10 {
						local[n]++
					}
				}
				switch (g + i) % 4 {
				case 0:
					_ = green.Do(work)
				case 1:
					recovered(func() { _ = green.Do(func() { work(); panic(1) }) })
				case 2:
					goexits(func() {
						green.NewCoroutine(func(green.Yielder[int, int], int) int { work(); runtime.Goexit(); return 0 }).Resume(0)
					})
				case 3:
					c := green.NewCoroutine(func(y green.Yielder[int, int], in int) int { work(); y.Yield(0); return 0 })
					c.Resume(0)
					if i%2 == 0 {
						_ = c.Close()
					}
				}
				work()
			}
		}()
	}
	wg.Wait()
}

func init() {
	roles["race"] = func() {
		counter := 0
		var wg, both sync.WaitGroup
		both.Add(2)
		for range 2 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				c := green.NewCoroutine(func(y green.Yielder[int, int], in int) int {
					both.Done() // no edge leads from one to the other after this
					both.Wait()
					for range 1000 {
						racyWrite(&counter)
						y.Yield(0)
					}
					return 0
				})
				for !c.Done() {
					c.Resume(0)
				}
			}()
		}
		wg.Wait()
		fmt.Println("counted", counter)
	}
	roles["no race"] = func() {
		counter := 0
		a, b := green.NewCoroutine(upTo(1000)), green.NewCoroutine(upTo(1000))
		for !a.Done() {
			a.Resume(0)
			racyWrite(&counter)
			b.Resume(0)
		}
		fmt.Println("counted", counter)
	}
}

//go:noinline
func racyWrite(p *int) { *p++ }

func TestARealRaceIsReported(t *testing.T) {
	if !green.RaceEnabled {
		t.Skip("only the race detector reports it")
	}
	output, err := runChild(t, childRole("race", "GORACE=exitcode=66 atexit_sleep_ms=0"))
	if err == nil || !strings.Contains(output, "WARNING: DATA RACE") || !strings.Contains(output, "racyWrite") {
		t.Errorf("two coroutines on two goroutines count without a lock, and the detector says: %v\n%s", err, output)
	}
	output, err = runChild(t, childRole("no race", "GORACE=exitcode=66 atexit_sleep_ms=0"))
	if err != nil || strings.Contains(output, "DATA RACE") {
		t.Errorf("%v\n%s", err, output)
	}
}

// variants are settings under which the stress must pass, too, in children.
var variants = []string{"GODEBUG=gccheckmark=1", "GODEBUG=clobberfree=1", "GODEBUG=asyncpreemptoff=1", "GOGC=1", "GOMAXPROCS=1"}

func TestVariantsOfTheGoRuntime(t *testing.T) {
	needNative(t)
	if os.Getenv("GREENTHREAD_TEST_VARIANT") != "" {
		t.Skip("this is one of them")
	}
	for _, variant := range variants {
		cmd := childRole("", variant, "GREENTHREAD_TEST_VARIANT=1", "GREENTHREAD_STRESS=300ms", backendVariable+"="+backendName())
		setArguments(cmd, "-test.run=Stress|BothWays|IterPull|CloseRuns|PanicReaches|TraceStarts|WarmThreads",
			"-test.skip=StressOfTimers") // a million of them, in ten seconds and more
		if output, err := runChild(t, cmd); err != nil {
			t.Errorf("%s: %v\n%s", variant, err, output[max(0, len(output)-5000):])
		}
	}
}
