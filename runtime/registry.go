package runtime

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// The registry of all native threads keeps them reachable: the goroutine of an
// adopted thread refers to it only from its own stack, which is not scanned. They are in
// the order in which they were made, and so mostly in that of their addresses: the garbage
// collector, which comes by for each of them, would miss the cache each time in a map.
var registry struct {
	mu     sync.Mutex
	chunks []*registryChunk // all but the last are full
	count  int
}

type registryChunk [1024]*thread

func register(t *thread) {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	n := registry.count
	if n%len(registryChunk{}) == 0 {
		registry.chunks = append(registry.chunks, new(registryChunk))
	}
	t.index = uint32(n)
	*registryPlace(n) = t
	registry.count++
}

// unregister has the last thread take the place of t.
func unregister(t *thread) {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	registry.count--
	n := registry.count
	last := *registryPlace(n)
	*registryPlace(int(t.index)) = last
	last.index = t.index
	*registryPlace(n) = nil
	if n%len(registryChunk{}) == 0 {
		i := n / len(registryChunk{})
		registry.chunks[i] = nil
		registry.chunks = registry.chunks[:i]
	}
}

// registryPlace returns where the thread with that index is. The caller holds the lock.
func registryPlace(i int) **thread {
	return &registry.chunks[i/len(registryChunk{})][i%len(registryChunk{})]
}

// eachRegistered calls f with each thread, under the lock.
func eachRegistered(f func(*thread)) {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	for i := range registry.count {
		f(*registryPlace(i))
	}
}

// registered returns how many threads there are.
func registered() int {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	return registry.count
}

// AnchorCount counts the anchors of the process: the goroutines that live on pooled
// stacks, where coroutines, Do and threads run. Their runtimes keep idle anchors, too,
// see [Stats].
type AnchorCount struct {
	Total int // running, suspended or idle
	Idle  int // of these, waiting for the next coroutine or Do
}

// Anchors returns the counts of this moment; zeros on the portable backend.
func Anchors() AnchorCount {
	s := AnchorCount{Total: registered()}
	cachesMu.Lock()
	defer cachesMu.Unlock()
	for _, c := range byPool {
		c.mu.Lock()
		s.Idle += len(c.idle)
		c.mu.Unlock()
	}
	return s
}

// runtimes are all that have not ended.
var runtimes struct {
	mu  sync.Mutex
	all map[*Runtime]struct{}
}

func enroll(r *Runtime) {
	runtimes.mu.Lock()
	if runtimes.all == nil {
		runtimes.all = map[*Runtime]struct{}{}
	}
	runtimes.all[r] = struct{}{}
	runtimes.mu.Unlock()
}

func runtimesOf() []*Runtime {
	runtimes.mu.Lock()
	defer runtimes.mu.Unlock()
	all := make([]*Runtime, 0, len(runtimes.all))
	for r := range runtimes.all {
		all = append(all, r)
	}
	return all
}

// dismissRuntime forgets r, whose last thread has ended, and ends its anchors.
func dismissRuntime(r *Runtime) {
	runtimes.mu.Lock()
	delete(runtimes.all, r)
	runtimes.mu.Unlock()
	unwatchDeadlocks(r)
	r.expectNone()
	if !r.portable {
		r.stable.trim(r, 0)
	}
}

// threadsOf returns the threads of r that have started and not ended.
func threadsOf(r *Runtime) []*task {
	var all []*task
	add := func(th *thread) {
		if t := loadShared(&th.green); t != nil && t.rt == r && !t.over() {
			all = append(all, t)
		}
	}
	if r.portable {
		portables.threads.Range(func(_, th any) bool {
			add(th.(*thread))
			return true
		})
		return all
	}
	eachRegistered(add)
	return all
}

// left says how many threads r has, and what they do.
func (r *Runtime) left() string {
	counts := map[string]int{}
	started := 0
	for _, t := range threadsOf(r) {
		started++
		switch {
		case t.Waits() != NotWaiting:
			counts["waiting ("+t.Waits().String()+")"]++
		case t.blocked():
			counts["blocked in Go"]++
		default:
			counts[t.State().String()]++
		}
	}
	live := r.living()
	if n := live - started; n > 0 {
		counts["new"] += n
	}
	var parts []string
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d %s", counts[what], what))
	}
	return fmt.Sprintf("%s left: %s", several(live, "thread"), strings.Join(parts, ", "))
}

// blocked reports whether t, which runs, waits in Go.
func (t *task) blocked() bool {
	th := loadShared(&t.th)
	return th != nil && th.native && t.State() == StateRunning && th.ctx.Blocked()
}
