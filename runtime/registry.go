package runtime

import "sync"

// The registry of all native threads keeps them reachable: the goroutine of an
// adopted thread refers to it only from its own stack, which is not scanned.
var registry struct {
	mu      sync.Mutex
	threads map[*thread]struct{}
}

func register(t *thread) {
	registry.mu.Lock()
	if registry.threads == nil {
		registry.threads = map[*thread]struct{}{}
	}
	registry.threads[t] = struct{}{}
	registry.mu.Unlock()
}

func unregister(t *thread) {
	registry.mu.Lock()
	delete(registry.threads, t)
	registry.mu.Unlock()
}

// Stats counts the native threads of the process.
type Stats struct {
	Threads int // on pooled stacks: running, suspended or idle
	Idle    int // of these, waiting in the cache for the next function
}

// ReadStats returns the counts of this moment.
func ReadStats() Stats {
	registry.mu.Lock()
	s := Stats{Threads: len(registry.threads)}
	registry.mu.Unlock()
	cachesMu.Lock()
	defer cachesMu.Unlock()
	for _, c := range byPool {
		c.mu.Lock()
		s.Idle += len(c.idle)
		c.mu.Unlock()
	}
	return s
}
