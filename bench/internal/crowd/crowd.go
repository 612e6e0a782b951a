package crowd

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"greenthread/bench/internal/child"
	"greenthread/bench/internal/measure"
	green "greenthread/runtime"
)

// Tasks make a crowd of n threads and measure it, each kind by its name: what [Task]
// returns. They are for processes of their own, see package child.
var Tasks = map[string]child.Task{
	Task("green"):     measured(makeThreads),
	Task("coroutine"): measured(makeCoroutines),
	Task("goroutine"): measured(makeGoroutines),
}

// Task returns the name of the task for a kind of threads: green ones that park,
// coroutines that have yielded, or goroutines that wait for a channel.
func Task(kind string) string { return "crowd/" + kind }

// A maker makes so many threads that have run and wait. What it returns must be kept
// until the measurement is over.
type maker func(n int) (keep any, err error)

// measured returns the task that has the crowd made and measures it. The crowd goes with
// the process.
func measured(makes maker) child.Task {
	return func(n int) (measure.Reading, error) {
		if _, err := makes(1); err != nil { // what is made once, before the measurement
			return measure.Reading{}, err
		}
		before, err := settled()
		if err != nil {
			return measure.Reading{}, err
		}
		count := measure.CountUsage()
		start := time.Now()
		keep, err := makes(n)
		spawn := time.Since(start)
		counts := count()
		if err != nil {
			return measure.Reading{}, err
		}
		collection := collect()
		after, err := settled()
		if err != nil {
			return measure.Reading{}, err
		}
		idle := idleCPU()
		runtime.KeepAlive(keep)
		per := func(bytes int64) float64 { return float64(bytes) / float64(n) }
		return measure.Reading{Ops: n, Elapsed: spawn, Usage: counts, Further: map[string]float64{
			ResidentBytes:  per(after.resident - before.resident),
			PageTableBytes: per(after.pageTables - before.pageTables),
			Maps:           float64(after.maps),
			CollectionMS:   collection.Seconds() * 1000,
			IdlePercent:    idle,
		}}, nil
	}
}

// Names of the metrics.
const (
	ResidentBytes  = "rss_bytes_per_thread"
	PageTableBytes = "page_table_bytes_per_thread"
	Maps           = "maps" // of the whole process
	CollectionMS   = "gc_ms"
	IdlePercent    = "idle_cpu_percent" // of one CPU
)

// settled reads the memory in use, without garbage and what Go keeps in store.
func settled() (memoryInUse, error) {
	debug.FreeOSMemory()
	return readMemory()
}

// collect returns how long a full collection takes: the median of a few.
func collect() time.Duration {
	var times [3]time.Duration
	for i := range times {
		start := time.Now()
		runtime.GC()
		times[i] = time.Since(start)
	}
	slices.Sort(times[:])
	return times[len(times)/2]
}

// idleTime is how long the crowd is left alone to see what that takes.
const idleTime = 500 * time.Millisecond

// idleCPU returns how much of one CPU this process takes while nobody has anything to do.
func idleCPU() float64 {
	start, before := time.Now(), measure.OwnCPUTime()
	time.Sleep(idleTime)
	return 100 * float64(measure.OwnCPUTime()-before) / float64(time.Since(start))
}

// makeThreads has a green thread make others, which park.
func makeThreads(n int) (any, error) {
	if !green.Backend().Native {
		return nil, errors.New(green.Backend().String())
	}
	r, err := green.New(green.Config{})
	if err != nil {
		return nil, err
	}
	var running green.WaitGroup
	running.Add(n)
	crowd := make([]*green.Thread, n)
	var failure error // err is written when Go returns, and the maker runs by then
	maker, err := r.Go(func() {
		for i := range crowd {
			var err error
			if crowd[i], err = r.Go(func() {
				running.Done()
				green.Park()
			}); err != nil {
				failure = fmt.Errorf("thread %d: %w", i+1, err)
				return
			}
		}
		running.Wait()
	})
	if err != nil {
		return nil, err
	}
	return crowd, errors.Join(maker.Join(context.Background()), failure)
}

// makeCoroutines makes coroutines that have yielded.
func makeCoroutines(n int) (any, error) {
	if !green.Backend().Native {
		return nil, errors.New(green.Backend().String())
	}
	crowd := make([]*green.Coroutine[int, int], n)
	for i := range crowd {
		c := green.NewCoroutine(func(y green.Yielder[int, int], in int) int {
			for {
				in = y.Yield(in)
			}
		})
		if out, err := c.Resume(i); err != nil || out != i {
			return nil, fmt.Errorf("thread %d: it yields %d, %v", i+1, out, err)
		}
		crowd[i] = c
	}
	return crowd, nil
}

// makeGoroutines makes goroutines that wait for a channel.
func makeGoroutines(n int) (any, error) {
	var running sync.WaitGroup
	running.Add(n)
	wait := make(chan struct{})
	for range n {
		go func() {
			running.Done()
			<-wait
		}()
	}
	running.Wait()
	return wait, nil
}
