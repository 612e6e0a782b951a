package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	green "greenthread/runtime"
)

func ExampleMutex() {
	var (
		m     green.Mutex
		tasks green.WaitGroup
		total int
	)
	for i := range 100 {
		tasks.Go(func() {
			m.Lock()
			defer m.Unlock()
			green.Yield() // others wait, switched out
			total += i
		})
	}
	tasks.Wait()
	fmt.Println(total)
	// Output: 4950
}

func ExampleMutex_LockContext() {
	var m green.Mutex
	m.Lock()
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	fmt.Println(m.LockContext(ctx))
	// Output: context deadline exceeded
}

func ExampleRWMutex() {
	var (
		rw     green.RWMutex
		prices = map[string]int{"tea": 3}
		tasks  green.WaitGroup
	)
	for range 3 {
		tasks.Go(func() { // these may run at the same time
			rw.RLock()
			defer rw.RUnlock()
			if prices["tea"] < 3 {
				fmt.Println("it became cheaper")
			}
		})
	}
	rw.Lock()
	prices["tea"]++
	rw.Unlock()
	tasks.Wait()
	fmt.Println(prices["tea"])
	// Output: 4
}

func ExampleCond() {
	var (
		m     green.Mutex
		ready = green.NewCond(&m)
		queue []string
	)
	last := green.Spawn(func() (string, error) {
		m.Lock()
		defer m.Unlock()
		for len(queue) < 2 {
			ready.Wait()
		}
		return queue[1], nil
	})
	for _, job := range []string{"sow", "reap"} {
		m.Lock()
		queue = append(queue, job)
		m.Unlock()
		ready.Signal()
	}
	fmt.Println(last.Get(context.Background()))
	// Output: reap <nil>
}

func ExampleWaitGroup() {
	var tasks green.WaitGroup
	var sum atomic.Int64
	for i := range 1000 {
		if err := tasks.Go(func() { sum.Add(int64(i)) }); err != nil {
			fmt.Println(err)
		}
	}
	tasks.Wait()
	fmt.Println(sum.Load())
	// Output: 499500
}

func ExampleOnce() {
	var once green.Once
	for range 3 {
		once.Do(func() { fmt.Println("only now") })
	}
	// Output: only now
}

func ExampleOnceValue() {
	config := green.OnceValue(func() string {
		fmt.Println("reading")
		return "verbose"
	})
	fmt.Println(config(), config())
	// Output:
	// reading
	// verbose verbose
}

func ExampleSemaphore() {
	memory := green.NewSemaphore(64) // megabytes
	var tasks green.WaitGroup
	for range 10 {
		tasks.Go(func() {
			if memory.Acquire(context.Background(), 20) == nil { // three at a time
				defer memory.Release(20)
				green.Yield()
			}
		})
	}
	tasks.Wait()
	fmt.Println(memory.Free(), "megabytes are free")
	fmt.Println(memory.Acquire(context.Background(), 65))
	// Output:
	// 64 megabytes are free
	// greenthread: bad option: Acquire of 65 permits, it must be from 0 to 64
}

func ExampleBarrier() {
	const parties = 3
	b := green.NewBarrier(parties)
	var tasks green.WaitGroup
	var halves [parties]int
	for i := range parties {
		tasks.Go(func() {
			halves[i] = i * 10
			last, _ := b.Wait(context.Background())
			if last { // all halves are there
				fmt.Println(halves)
			}
		})
	}
	tasks.Wait()
	// Output: [0 10 20]
}

func ExampleChan() {
	words := green.NewChan[string](0)
	green.Go(func() {
		defer words.Close()
		for _, w := range []string{"one", "two", "three"} {
			words.Send(w)
		}
	})
	for w := range words.All() {
		fmt.Println(w)
	}
	// Output:
	// one
	// two
	// three
}

func ExampleSelect() {
	numbers, quit := green.NewChan[int](0), green.NewChan[struct{}](0)
	green.Go(func() {
		for i := range 3 {
			numbers.Send(i * i)
		}
		quit.Close()
	})
	var n int
	cases := []green.Case{numbers.RecvCase(&n, nil), quit.RecvCase(nil, nil), green.AfterCase(time.Minute)}
	for {
		switch green.Select(cases...) {
		case 0:
			fmt.Println(n)
		case 1:
			fmt.Println("quit")
			return
		case 2:
			fmt.Println("timeout")
			return
		}
	}
	// Output:
	// 0
	// 1
	// 4
	// quit
}

func ExampleSpawn() {
	answer := green.Spawn(func() (int, error) { return 6 * 7, nil })
	fmt.Println(answer.Get(context.Background()))

	broken := green.Spawn(func() (int, error) { panic("out of paper") })
	defer func() {
		fmt.Println("panic:", recover().(*green.PanicError).Value)
	}()
	broken.Get(context.Background())
	// Output:
	// 42 <nil>
	// panic: out of paper
}

func ExampleGroup() {
	group, ctx := green.WithContext(context.Background())
	group.Go(func() error { return errors.New("the disk is full") })
	group.Go(func() error { // is told to stop
		return green.SleepContext(ctx, time.Hour)
	})
	fmt.Println(group.Wait())
	// Output: the disk is full
}

func ExampleLocal() {
	user := green.NewLocal(func() string { return "nobody" })
	greet := func() { fmt.Println("hello,", user.Get()) }
	green.Run(func() {
		greet()
		user.Set("ada")
		greet()
	})
	green.Run(greet) // another thread
	// Output:
	// hello, nobody
	// hello, ada
	// hello, nobody
}
