//go:build linux

package stackpool_test

import (
	"errors"
	"fmt"

	"greenthread/stackpool"
)

// A pool is made once. Get and Put then go round without the kernel.
func Example() {
	pool, err := stackpool.New(stackpool.Config{Size: 256 << 10})
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
	fmt.Println("usable:", stack.Size(), "guard:", stack.GuardSize())

	// Native code would start with its stack pointer at Top. Here we use the
	// memory ourselves.
	memory := stack.Bytes()
	memory[len(memory)-1] = 42

	if err := pool.Put(stack); err != nil {
		fmt.Println(err)
	}
	fmt.Println("cached:", pool.Stats().Cached) // for the next Get
	// Output:
	// usable: 262144 guard: 65536
	// cached: 1
}

// What is cached keeps its memory until it is trimmed.
func ExamplePool_Trim() {
	pool, err := stackpool.New(stackpool.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer pool.Close()
	var burst []*stackpool.Stack
	for range 100 {
		stack, err := pool.Get()
		if err != nil {
			fmt.Println(err)
			return
		}
		burst = append(burst, stack)
	}
	for _, stack := range burst {
		pool.Put(stack)
	}
	released, err := pool.Trim(10)
	fmt.Println("released:", released, err)
	fmt.Println("cached:", pool.Stats().Cached) // 90 of them cost address space only
	// Output:
	// released: 90 <nil>
	// cached: 100
}

// The high-water mark tells how large stacks need to be.
func ExampleStack_HighWater() {
	pool, err := stackpool.New(stackpool.Config{Size: 1 << 20})
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
	defer pool.Put(stack)
	memory := stack.Bytes()
	memory[len(memory)-100_000] = 1
	depth, err := stack.HighWater()
	fmt.Println(depth >= 100_000, depth < 200_000, err)
	// Output: true true <nil>
}

// An error says which limit was hit and what can be done about it.
func ExampleLimitError() {
	pool, err := stackpool.New(stackpool.Config{Name: "workers", MaxStacks: 1})
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
	defer pool.Put(stack)

	_, err = pool.Get()
	fmt.Println(errors.Is(err, stackpool.ErrStackLimit))
	var limit *stackpool.LimitError
	if errors.As(err, &limit) {
		fmt.Println(limit.Limit, limit.Value)
	}
	fmt.Println(err)
	// Output:
	// true
	// MaxStacks 1
	// stackpool: no more stacks: MaxStacks is 1; put stacks back to pool "workers", or raise its Config.MaxStacks
}

// A stack that is put back twice is refused, and nothing is changed.
func ExamplePool_Put() {
	pool, err := stackpool.New(stackpool.Config{Name: "mine"})
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
	fmt.Println(pool.Put(stack))
	fmt.Println(errors.Is(pool.Put(stack), stackpool.ErrDoublePut))
	// Output:
	// <nil>
	// true
}
