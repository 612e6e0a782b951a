package futex_test

import (
	"runtime"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// crowd is a number of goroutines, each locked to a kernel thread that sleeps in the kernel.
type crowd struct {
	all  sync.WaitGroup
	done chan int // who has come back, in order
}

// asleepOn starts n goroutines that do wait(i), and returns when each of them sleeps on word.
func asleepOn(t *testing.T, word *uint32, n int, wait func(i int) error) *crowd {
	t.Helper()
	c := &crowd{done: make(chan int, n)}
	for i := range n {
		c.start(i, word, func() {
			if err := wait(i); err != nil {
				t.Errorf("waiter %d: %v", i, err)
			}
		})
	}
	return c
}

func (c *crowd) start(i int, word *uint32, wait func()) {
	tid := make(chan int, 1)
	c.all.Go(func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		tid <- unix.Gettid()
		wait()
		c.done <- i
	})
	waiter := <-tid
	eventually(func() bool { return sleepsOn(waiter, word) })
}

// back returns the next n who have come back.
func (c *crowd) back(n int) []int {
	who := make([]int, n)
	for i := range who {
		who[i] = <-c.done
	}
	return who
}
