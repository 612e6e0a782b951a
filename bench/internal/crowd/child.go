package crowd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"greenthread/bench/internal/measure"
	green "greenthread/runtime"
)

// RunChild carries out the order of a process that was started by a sampler, and
// exits. In any other process it returns at once.
func RunChild() {
	order, ok := os.LookupEnv(orderVariable)
	if !ok {
		return
	}
	r, err := carryOut(order)
	if err != nil {
		r.Error = err.Error()
	}
	if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
		os.Exit(1)
	}
	os.Exit(0) // the crowd goes with the process
}

// makers make so many threads that have run and wait. What they return must be
// kept until the measurement is over.
var makers = map[string]func(n int) (keep any, err error){
	"green":     makeThreads,
	"coroutine": makeCoroutines,
	"goroutine": makeGoroutines,
}

// carryOut makes the crowd and measures it.
func carryOut(order string) (result, error) {
	var kind string
	var n int
	if _, err := fmt.Sscan(order, &kind, &n); err != nil || makers[kind] == nil || n < 1 {
		return result{}, fmt.Errorf("there is no such crowd: %q", order)
	}
	if _, err := makers[kind](1); err != nil { // what is made once, before the measurement
		return result{}, err
	}
	before, err := settled()
	if err != nil {
		return result{}, err
	}
	count := measure.CountUsage()
	start := time.Now()
	keep, err := makers[kind](n)
	spawn := time.Since(start)
	counts := count()
	if err != nil {
		return result{}, err
	}
	collection := collect()
	after, err := settled()
	if err != nil {
		return result{}, err
	}
	runtime.KeepAlive(keep)
	per := func(bytes int64) float64 { return float64(bytes) / float64(n) }
	return result{Spawn: spawn, Usage: counts, Further: map[string]float64{
		ResidentBytes:  per(after.resident - before.resident),
		PageTableBytes: per(after.pageTables - before.pageTables),
		Maps:           float64(after.maps),
		CollectionMS:   collection.Seconds() * 1000,
	}}, nil
}

// Names of the metrics.
const (
	ResidentBytes  = "rss_bytes_per_thread"
	PageTableBytes = "page_table_bytes_per_thread"
	Maps           = "maps" // of the whole process
	CollectionMS   = "gc_ms"
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
