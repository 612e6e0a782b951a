package runtime

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"sync"
	"testing"
	"time"
)

// node is pointer-rich data that the collector must find from deep frames.
type node struct {
	left, right *node
	value       int
	text        string
	data        []byte
}

func grow(depth, seed int) *node {
	if depth == 0 {
		return nil
	}
	return &node{grow(depth-1, seed*2), grow(depth-1, seed*2+1), seed, fmt.Sprint("n", seed), bytes.Repeat([]byte{byte(seed)}, 10)}
}

func (n *node) verify(depth, seed int) error {
	if depth == 0 {
		if n != nil {
			return fmt.Errorf("a node too many at %d", seed)
		}
		return nil
	}
	if n.value != seed || n.text != fmt.Sprint("n", seed) || len(n.data) != 10 || n.data[9] != byte(seed) {
		return fmt.Errorf("node %d is damaged: %+v", seed, n)
	}
	if err := n.left.verify(depth-1, seed*2); err != nil {
		return err
	}
	return n.right.verify(depth-1, seed*2+1)
}

// deep recurses, keeps data in every frame, does something that blocks at the
// bottom, and verifies the data on the way back. It wants back the value of what
// it yields.
func deep(y Yielder[int, *node], level, seed int, ch chan int) error {
	n := grow(4, seed)
	local := [4]*node{n, grow(1, seed+1), nil, n}
	if level > 0 {
		if err := deep(y, level-1, seed*3+1, ch); err != nil {
			return err
		}
	} else {
		switch seed % 5 {
		case 0:
			time.Sleep(time.Microsecond * 50)
		case 1:
			runtime.Gosched()
		case 2:
			ch <- seed
			<-ch
		case 3:
			runtime.GC()
		}
	}
	if got := y.Yield(local[3]); got != seed {
		return fmt.Errorf("yield at level %d returned %d, want %d", level, got, seed)
	}
	if err := local[0].verify(4, seed); err != nil {
		return err
	}
	return local[1].verify(1, seed+1)
}

func stressFor() time.Duration {
	if d, err := time.ParseDuration(os.Getenv("GREENTHREAD_STRESS")); err == nil {
		return d
	}
	return 2 * time.Second
}

// TestStressUnderGC moves coroutines between goroutines while the collector
// runs without pause and profiles are taken.
func TestStressUnderGC(t *testing.T) {
	deadline := time.Now().Add(stressFor())
	stop := make(chan struct{})
	var background, workers sync.WaitGroup
	loop := func(f func()) {
		background.Add(1)
		go func() {
			defer background.Done()
			for {
				select {
				case <-stop:
					return
				default:
					f()
				}
			}
		}()
	}
	runtime.SetBlockProfileRate(1000)
	runtime.SetMutexProfileFraction(10)
	defer runtime.SetBlockProfileRate(0)
	defer runtime.SetMutexProfileFraction(0)
	var cpu bytes.Buffer
	if err := pprof.StartCPUProfile(&cpu); err == nil {
		defer pprof.StopCPUProfile()
	}
	loop(runtime.GC)
	loop(func() {
		var b bytes.Buffer
		for _, name := range []string{"goroutine", "block", "mutex", "heap"} {
			_ = pprof.Lookup(name).WriteTo(&b, 0)
		}
		time.Sleep(time.Millisecond)
	})
	loop(func() { runtime.Stack(make([]byte, 1<<16), true); time.Sleep(3 * time.Millisecond) })

	ch := make(chan int)
	loop(func() {
		select {
		case v := <-ch:
			ch <- v
		case <-stop:
		}
	})
	type work struct {
		c    *Coroutine[int, *node]
		want int // by the body
	}
	handed := make(chan work, 64)
	errs := make(chan error, 64)
	for w := range 8 {
		workers.Add(1)
		go func() {
			defer workers.Done()
			if w%4 == 0 {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
			}
			for i := 0; time.Now().Before(deadline); i++ {
				var k work
				select {
				case k = <-handed:
				default:
					seed := w*1000 + i
					k.c = NewCoroutine(func(y Yielder[int, *node], in int) *node {
						if err := deep(y, 6, seed, ch); err != nil {
							errs <- err
						}
						return nil
					}, WithStackSize(64<<10))
				}
				c := k.c
				for step := range 3 {
					n, err := c.Resume(k.want)
					if err != nil {
						errs <- err
						return
					}
					if c.Done() {
						break
					}
					if n == nil || n.left == nil {
						errs <- fmt.Errorf("step %d: a broken node came out", step)
						return
					}
					k.want = n.value
				}
				if !c.Done() {
					select {
					case handed <- k:
					default:
						if i%2 == 0 {
							if err := c.Close(); err != nil {
								errs <- err
								return
							}
						}
					}
				}
			}
		}()
	}
	workers.Wait()
	close(stop)
	background.Wait()
	close(handed)
	for k := range handed {
		if err := k.c.Close(); err != nil {
			t.Error(err)
		}
	}
	select {
	case err := <-errs:
		t.Fatal(err)
	default:
	}
}
