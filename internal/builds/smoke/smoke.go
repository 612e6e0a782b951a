// Package smoke does a little of everything that this module does to the Go runtime: what
// a way to build may break shows here.
package smoke

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"time"

	green "greenthread/runtime"
	"greenthread/stackpool"
)

// Main is the main function of a program that is built in some way: it prints what Run
// returns, and exits with 1 if that failed, or what the program has checked by itself.
func Main(checked bool) {
	backend, err := Run()
	fmt.Println("backend:", backend)
	if err != nil || !checked {
		fmt.Fprintln(os.Stderr, "FAILED:", err)
		os.Exit(1)
	}
}

// Run returns the backend that served, "native" or "portable: " and the reason, or what
// went wrong with it.
func Run() (backend string, err error) {
	for _, part := range []struct {
		name string
		run  func() error
	}{
		{"coroutine", coroutine},
		{"pull", pull},
		{"close", closing},
		{"panic", panics},
		{"overflow", overflow},
		{"collector", collector},
		{"green threads", threads},
		{"stackpool", stacks},
	} {
		if err := part.run(); err != nil {
			return green.Backend().String(), fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return green.Backend().String(), nil
}

func count(y green.Yielder[int, int], in int) int {
	for {
		in = y.Yield(in + 1)
	}
}

func coroutine() error {
	c := green.NewCoroutine(count)
	for i := range 1000 {
		out, err := c.Resume(i)
		if err != nil || out != i+1 {
			return fmt.Errorf("Resume(%d) = %d, %v", i, out, err)
		}
	}
	return c.Close()
}

func pull() error {
	next, stop := green.Pull(func(yield func(string) bool) {
		for i := 0; yield(fmt.Sprint(i)); i++ {
		}
	})
	defer stop()
	for i := range 1000 {
		if v, ok := next(); v != fmt.Sprint(i) || !ok {
			return fmt.Errorf("next() = %q, %v, want %d", v, ok, i)
		}
	}
	return nil
}

func closing() error {
	closed := false
	c := green.NewCoroutine(func(y green.Yielder[int, int], in int) int {
		defer func() { closed = true }()
		return y.Yield(in)
	})
	if _, err := c.Resume(1); err != nil {
		return err
	}
	if err := c.Close(); err != nil || !closed {
		return fmt.Errorf("Close() = %v, deferred calls ran: %v", err, closed)
	}
	return nil
}

func recovered(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

func panics() error {
	v := recovered(func() {
		_ = green.Do(func() {
			var p *int
			*p = 1 // a fault, of which Go makes a panic
		})
	})
	p, ok := v.(*green.PanicError)
	if !ok {
		return fmt.Errorf("the panic of Do is %v", v)
	}
	if _, ok := p.Value.(runtime.Error); !ok {
		return fmt.Errorf("the panic of Do has %v in it", p.Value)
	}
	return nil
}

//go:noinline
func deeper(n int) int {
	if n == 0 {
		return 0
	}
	return deeper(n-1) + 1
}

// overflow recurses deeper than the stack reaches. The portable backend has Go's stacks.
func overflow() error {
	for range 3 {
		v := recovered(func() {
			_ = green.Do(func() {
				if n := deeper(200_000); n != 200_000 {
					panic(n)
				}
			})
		})
		if !green.Backend().Native {
			if v != nil {
				return fmt.Errorf("panicked with %v", v)
			}
			continue
		}
		if _, ok := green.AsStackOverflow(v); !ok {
			return fmt.Errorf("panicked with %v", v)
		}
	}
	return nil
}

type node struct {
	next *node
	n    int
}

// collector has coroutines hold lists on their stacks while garbage is collected.
func collector() error {
	var all []*green.Coroutine[int, int]
	for range 20 {
		all = append(all, green.NewCoroutine(func(y green.Yielder[int, int], in int) int {
			var list *node
			for i := 0; ; i++ {
				list = &node{list, i}
				y.Yield(in)
				n := i
				for l := list; l != nil; l, n = l.next, n-1 {
					if l.n != n {
						panic(fmt.Sprintf("%d in the place of %d", l.n, n))
					}
				}
			}
		}))
	}
	for round := range 40 {
		for _, c := range all {
			if _, err := c.Resume(round); err != nil {
				return err
			}
		}
		if round%8 == 0 {
			runtime.GC()
		}
	}
	for _, c := range all {
		if err := c.Close(); err != nil {
			return err
		}
	}
	return nil
}

func threads() error {
	var all []*green.Thread
	var m green.Mutex
	var sum int
	var yields atomic.Int64
	c := green.NewChan[int](4)
	for i := range 50 {
		t, err := green.Go(func() {
			for range 20 {
				m.Lock()
				sum++
				m.Unlock()
				green.Yield()
				yields.Add(1)
			}
			green.Sleep(time.Millisecond)
			c.Send(i)
		})
		if err != nil {
			return err
		}
		all = append(all, t)
	}
	got := 0
	receiver, err := green.Go(func() {
		for range len(all) {
			v, _ := c.Recv()
			got += v
		}
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for _, t := range append(all, receiver) {
		if err := t.Join(ctx); err != nil {
			return err
		}
	}
	if want := len(all) * (len(all) - 1) / 2; sum != 20*len(all) || got != want || yields.Load() != int64(sum) {
		return fmt.Errorf("%d under the lock, %d received, %d yields", sum, got, yields.Load())
	}
	return nil
}

func stacks() error {
	p, err := stackpool.New(stackpool.Config{Size: 64 << 10})
	if errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	if err != nil {
		return err
	}
	s, err := p.Get()
	if err != nil {
		return err
	}
	return errors.Join(p.Put(s), p.Close())
}
