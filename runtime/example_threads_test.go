package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	green "greenthread/runtime"
)

func ExampleGo() {
	t, err := green.Go(func() {
		fmt.Println("in a thread:", green.Current() != nil)
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(t.Join(context.Background()))
	// Output:
	// in a thread: true
	// <nil>
}

func ExampleRun() {
	err := green.Run(func() {
		other, _ := green.Go(func() { fmt.Println("the other") })
		_ = other.Join(context.Background())
		fmt.Println("the first")
	})
	fmt.Println(err)
	// Output:
	// the other
	// the first
	// <nil>
}

// A server has a runtime of its own, which it closes at the end: threads are told by
// the end of their context.
func ExampleRuntime() {
	r, err := green.New(green.Config{Carriers: 2, StackSize: 32 << 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	var stopped atomic.Int64
	for range 100 {
		_, err := r.Go(func() {
			for green.SleepContext(green.Context(), time.Minute) == nil {
				fmt.Println("a minute has passed")
			}
			stopped.Add(1)
		})
		if err != nil {
			fmt.Println(err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	fmt.Println(r.Close(ctx), stopped.Load())
	_, err = r.Go(func() {})
	fmt.Println(errors.Is(err, green.ErrRuntimeClosed))
	// Output:
	// <nil> 100
	// true
}

func ExampleThread() {
	ready := green.NewChan[string](0)
	t, _ := green.Go(func() {
		ready.Send("about to park")
		green.Park()
	}, green.WithName("waits"))
	what, _ := ready.Recv()
	fmt.Println(t.Name(), what)
	for t.Waits() != green.WaitPark {
		time.Sleep(time.Millisecond)
	}
	fmt.Println(t.State(), t.Waits())
	t.Unpark()
	_ = t.Join(context.Background())
	fmt.Println(t.State())
	// Output:
	// waits about to park
	// waiting park
	// ended
}

func ExampleThread_Join_panic() {
	t, _ := green.Go(func() { panic("out of cheese") }, green.WithPanicInJoin(), green.WithName("shop"))
	var p *green.PanicError
	if errors.As(t.Join(context.Background()), &p) {
		fmt.Println(p.Name, p.Value, bytes.Contains(p.Stack, []byte("ExampleThread_Join_panic")))
	}
	// Output: shop out of cheese true
}

func ExampleContext() {
	ctx, cancel := context.WithCancelCause(context.Background())
	t, _ := green.Go(func() {
		fmt.Println(green.ParkContext(green.Context()))
	}, green.InContext(ctx))
	cancel(errors.New("enough"))
	_ = t.Join(context.Background())
	// Output: enough
}

func ExampleAfterFunc() {
	done := green.NewChan[string](0)
	green.AfterFunc(time.Millisecond, func() { done.Send("a thread of its own") })
	later := green.AfterFunc(time.Hour, func() { done.Send("never") })
	fmt.Println(done.Recv())
	fmt.Println(later.Stop())
	// Output:
	// a thread of its own true
	// true
}

func ExampleTicker() {
	ticker := green.NewTicker(time.Millisecond)
	defer ticker.Stop()
	n := 0
	for range ticker.C.All() {
		if n++; n == 3 {
			break
		}
	}
	fmt.Println(n, "ticks")
	// Output: 3 ticks
}

func ExampleBlock() {
	read, write, err := os.Pipe()
	if err != nil {
		fmt.Println(err)
		return
	}
	t, _ := green.Go(func() {
		buf := make([]byte, 5)
		green.Block(func() { _, _ = read.Read(buf) }) // other threads run at once
		fmt.Println(string(buf))
	})
	_, _ = write.WriteString("hello")
	_ = t.Join(context.Background())
	// Output: hello
}

func ExampleRuntime_Dump() {
	r, err := green.New(green.Config{Carriers: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	t, _ := r.Go(green.Park, green.WithName("stuck"))
	for t.Waits() != green.WaitPark {
		time.Sleep(time.Millisecond)
	}
	var dump bytes.Buffer
	if err := r.Dump(&dump); err != nil {
		fmt.Println(err)
	}
	lines := strings.Split(dump.String(), "\n")
	fmt.Println(lines[0])
	fmt.Println(regexp.MustCompile(`thread \d+|for [0-9.]+.?s, created at .*`).ReplaceAllString(lines[2], "..."))
	t.Unpark()
	_ = r.Close(context.Background())
	// Output:
	// greenthread: 1 thread on 1 carrier: 1 waiting
	// ... "stuck": waiting (park) ...
}

func ExampleConfig_hook() {
	var started, parked atomic.Int64
	r, err := green.New(green.Config{Hook: func(e green.Event) {
		switch e.Kind {
		case green.ThreadStart:
			started.Add(1)
		case green.ThreadPark:
			parked.Add(1)
		}
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 3 {
		_, _ = r.Go(func() { green.Sleep(time.Millisecond) })
	}
	_ = r.Close(context.Background())
	fmt.Println(started.Load(), "started,", parked.Load(), "waits")
	// Output: 3 started, 3 waits
}
