//go:build linux

package stackpool_test

import (
	"errors"
	"expvar"
	"fmt"
	"sync/atomic"

	"greenthread/stackpool"
)

// Stats as a variable that /debug/vars shows. It makes no system call, so it may be
// asked often; for what is resident, publish Usage as well.
func ExamplePool_Stats_expvar() {
	pool, err := stackpool.New(stackpool.Config{Name: "workers"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer pool.Close()
	expvar.Publish("stackpool.workers", expvar.Func(func() any { return pool.Stats() }))

	stack, err := pool.Get()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer pool.Put(stack)
	stats := expvar.Get("stackpool.workers").(expvar.Func).Value().(stackpool.Stats)
	fmt.Println(stats.Live, stats.Cached, stats.Misses)
	// Output: 1 0 1
}

// A hook counts what Stats does not: here, how many bytes went back to the kernel.
func ExampleConfig_hook() {
	var released atomic.Int64
	pool, err := stackpool.New(stackpool.Config{
		Policy: stackpool.DiscardAll(),
		Hook: func(e stackpool.Event) {
			if e.Kind == stackpool.EventRelease {
				released.Add(e.Bytes)
			}
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer pool.Close()
	for range 3 {
		stack, err := pool.Get()
		if err != nil {
			fmt.Println(err)
			return
		}
		pool.Put(stack)
	}
	fmt.Println(released.Load())
	// Output: 196608
}

// One pool for threads that need little and for those that need much.
func ExamplePool_GetSize() {
	pool, err := stackpool.New(stackpool.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer pool.Close()
	for _, size := range []int{5_000, 64 << 10, 1_000_000, 8 << 20} {
		stack, err := pool.GetSize(size)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(size, "is served by", stack.Size())
		pool.Put(stack)
	}
	// Output:
	// 5000 is served by 8192
	// 65536 is served by 65536
	// 1000000 is served by 1048576
	// 8388608 is served by 8388608
}

// Large stacks are given back at once, small ones after a while.
type bySize struct {
	stackpool.Policy     // for small ones
	large            int // what is large
}

func (p bySize) Plan() stackpool.Plan {
	plan := p.Policy.Plan()
	plan.OnPut = true
	return plan
}

func (p bySize) Release(i stackpool.Idle) stackpool.Release {
	if i.Stack.Size() >= p.large {
		return stackpool.Release{How: stackpool.Discard}
	}
	if i.Age == 0 {
		return stackpool.Release{} // it was put back just now
	}
	return p.Policy.Release(i)
}

// A policy of one's own, made of another one.
func ExamplePolicy() {
	pool, err := stackpool.New(stackpool.Config{Policy: bySize{stackpool.DefaultPolicy(), 1 << 20}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer pool.Close()
	for _, size := range []int{64 << 10, 1 << 20} {
		stack, err := pool.GetSize(size)
		if err != nil {
			fmt.Println(err)
			return
		}
		memory := stack.Bytes()
		memory[len(memory)-1] = 1
		pool.Put(stack)
		depth, err := stack.HighWater()
		fmt.Println(size, "keeps memory:", depth > 0, err)
	}
	// Output:
	// 65536 keeps memory: true <nil>
	// 1048576 keeps memory: false <nil>
}

// Stats in the text format that Prometheus and others scrape: as an http.Handler, write
// it to the ResponseWriter.
func ExamplePool_ClassStats_prometheus() {
	pool, err := stackpool.New(stackpool.Config{Name: "workers"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer pool.Close()
	var taken []*stackpool.Stack
	for _, size := range []int{64 << 10, 64 << 10, 1 << 20} {
		stack, err := pool.GetSize(size)
		if err != nil {
			fmt.Println(err)
			return
		}
		taken = append(taken, stack)
	}
	pool.Put(taken[0])

	gauges := []struct {
		name, help string
		value      func(stackpool.ClassStats) int
	}{
		{"stackpool_live", "Stacks in use.", func(c stackpool.ClassStats) int { return c.Live }},
		{"stackpool_cached", "Stacks in the cache.", func(c stackpool.ClassStats) int { return c.Cached }},
	}
	for _, g := range gauges {
		fmt.Printf("# HELP %s %s\n# TYPE %s gauge\n", g.name, g.help, g.name)
		for _, c := range pool.ClassStats() {
			fmt.Printf("%s{pool=%q,size=\"%d\"} %d\n", g.name, pool.Name(), c.Size, g.value(c))
		}
	}
	for _, stack := range taken[1:] {
		pool.Put(stack)
	}
	// Output:
	// # HELP stackpool_live Stacks in use.
	// # TYPE stackpool_live gauge
	// stackpool_live{pool="workers",size="65536"} 1
	// stackpool_live{pool="workers",size="1048576"} 1
	// # HELP stackpool_cached Stacks in the cache.
	// # TYPE stackpool_cached gauge
	// stackpool_cached{pool="workers",size="65536"} 1
	// stackpool_cached{pool="workers",size="1048576"} 0
}

// A pool that looks for writes to stacks that were put back.
func ExampleConfig_poison() {
	pool, err := stackpool.New(stackpool.Config{Name: "debug", Poison: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer pool.Close()
	stack, err := pool.Get()
	if err != nil {
		fmt.Println(err)
		return
	}
	memory := stack.Bytes()
	memory[0] = 1
	pool.Put(stack)
	memory[100] = 42 // a bug

	_, err = pool.Get()
	fmt.Println(errors.Is(err, stackpool.ErrUsedAfterPut))
	// Output: true
}
