//go:build linux

package stackpool_test

import (
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
