//go:build cgo

//go:debug netdns=cgo
package cgotest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	green "greenthread/runtime"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if code == 0 && os.Getenv("GREENTHREAD_BACKEND") == "" && green.Backend().Native {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "GREENTHREAD_BACKEND=portable")
		if output, err := cmd.CombinedOutput(); err != nil {
			fmt.Printf("with the portable backend: %v\n%s", err, output)
			code = 1
		}
	}
	os.Exit(code)
}

type coroutine = green.Coroutine[int, int]

func resume(t *testing.T, c *coroutine, in, want int) {
	t.Helper()
	if got, err := c.Resume(in); got != want || err != nil {
		t.Errorf("Resume(%d) = %d, %v, want %d", in, got, err, want)
	}
}

func recovered(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

// doubler yields twice what it gets, and calls C before each time.
func doubler(y green.Yielder[int, int], in int) int {
	for {
		n := 0
		CallBack(func() { n = 2 * in; runtime.GC() })
		in = y.Yield(n)
	}
}

func TestBodyCallsC(t *testing.T) {
	c := green.NewCoroutine(doubler)
	defer c.Close()
	for i := range 20 {
		done := make(chan bool)
		go func() { resume(t, c, i, 2*i); done <- true }()
		<-done
	}
}

func TestCallbackResumes(t *testing.T) {
	outer := green.NewCoroutine(doubler)
	defer outer.Close()
	for i := range 10 {
		CallBack(func() {
			resume(t, outer, i, 2*i)
			inner := green.NewCoroutine(doubler)
			resume(t, inner, i, 2*i)
			CallBack(func() {
				resume(t, inner, 5, 10)
				if err := green.Do(func() { CallBack(func() { time.Sleep(time.Millisecond) }) }); err != nil {
					t.Error(err)
				}
			})
			if err := inner.Close(); err != nil {
				t.Error(err)
			}
			next, stop := green.Pull(func(yield func(int) bool) {
				for i := 0; yield(i); i++ {
				}
			})
			defer stop()
			for want := range 5 {
				if v, ok := next(); v != want || !ok {
					t.Errorf("next = %d, %v", v, ok)
				}
			}
		})
		resume(t, outer, i+1, 2*i+2) // outside of the callback again
	}
}

func TestYieldInsideACallbackIsErrCallback(t *testing.T) {
	if !green.Backend().Native {
		t.Skip("there a callback may yield")
	}
	c := green.NewCoroutine(func(y green.Yielder[int, int], in int) int {
		for {
			for range 3 {
				CallBack(func() {
					if err, _ := recovered(func() { y.Yield(9) }).(error); !errors.Is(err, green.ErrCallback) {
						t.Errorf("Yield in a callback panicked with %v", err)
					}
					inner := green.NewCoroutine(func(y green.Yielder[int, int], in int) int {
						return y.Yield(in)
					})
					resume(t, inner, 1, 1)
					resume(t, inner, 2, 2)
				})
			}
			in = y.Yield(in)
		}
	})
	defer c.Close()
	for i := range 5 {
		resume(t, c, i, i)
	}
	next, stop := green.Pull(func(yield func(int) bool) {
		CallBack(func() {
			if err, _ := recovered(func() { yield(1) }).(error); !errors.Is(err, green.ErrCallback) {
				t.Errorf("yield in a callback panicked with %v", err)
			}
		})
		yield(2)
	})
	defer stop()
	if v, ok := next(); v != 2 || !ok {
		t.Errorf("next = %d, %v", v, ok)
	}
}

func TestPanicThroughC(t *testing.T) {
	for range 5 {
		c := green.NewCoroutine(func(y green.Yielder[int, int], in int) int {
			y.Yield(in)
			CallBack(func() { panic("through C") })
			return 0
		})
		resume(t, c, 1, 1)
		p, _ := recovered(func() { c.Resume(0) }).(*green.PanicError)
		if p == nil || p.Value != "through C" {
			t.Errorf("panicked with %v", p)
		}
	}
}

func TestNameLookupInABody(t *testing.T) {
	c := green.NewCoroutine(func(y green.Yielder[int, error], in int) error {
		y.Yield(LookUp("localhost"))
		_, err := net.DefaultResolver.LookupHost(context.Background(), "localhost")
		y.Yield(err)
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_, err = (&net.Resolver{}).LookupIPAddr(ctx, "localhost")
		return err
	})
	for i := 0; !c.Done(); i++ {
		got, err := c.Resume(0)
		if got != nil || err != nil {
			t.Errorf("lookup %d: %v, %v", i, got, err)
		}
	}
}

// TestThreadBlockedInCGetsItsCarrierReplaced: others run on the only carrier's behalf, also while
// it blocks in a callback of C's, and while Block has announced it.
func TestThreadBlockedInCGetsItsCarrierReplaced(t *testing.T) {
	r, err := green.New(green.Config{Carriers: 1})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	start := func(fn func()) *green.Thread {
		th, err := r.Go(fn)
		if err != nil {
			t.Fatal(err)
		}
		return th
	}
	join := func(th *green.Thread) {
		if err := th.Join(ctx); err != nil {
			t.Fatal(err)
		}
	}
	for _, call := range []func(func()){
		func(wait func()) { wait() },
		func(wait func()) { CallBack(wait) },
		green.Block,
	} {
		reader, writer, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		fd := int(reader.Fd()) // from here on a read blocks
		read := -1
		blocked := start(func() { call(func() { read = WaitFor(fd) }) })
		for blocked.State() != green.StateRunning {
			time.Sleep(10 * time.Microsecond)
		}
		for range 10 {
			join(start(func() { green.Yield(); green.Sleep(time.Microsecond) }))
		}
		if blocked.State() == green.StateEnded {
			t.Error("it has not blocked")
		}
		if _, err := writer.Write([]byte{1}); err != nil {
			t.Error(err)
		}
		join(blocked)
		if read != 1 {
			t.Errorf("read %d bytes", read)
		}
		if err := errors.Join(reader.Close(), writer.Close()); err != nil {
			t.Error(err)
		}
	}
	if err := r.Close(ctx); err != nil {
		t.Error(err)
	}
}
