//go:build linux

package trace_test

import (
	"bytes"
	"errors"
	"fmt"

	"greenthread/stackpool"
	"greenthread/stackpool/trace"
)

// A pool's requests go to a trace, which is read again.
func ExampleRecorder() {
	var file bytes.Buffer
	recorder := trace.NewRecorder(&file)
	pool, err := stackpool.New(stackpool.Config{Hook: recorder.Hook})
	if err != nil {
		fmt.Println(err)
		return
	}
	stack, err := pool.Get()
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := errors.Join(pool.Put(stack), pool.Close(), recorder.Flush()); err != nil {
		fmt.Println(err)
		return
	}
	events, err := trace.Read(&file)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range events {
		fmt.Println(e.Stack, e.Put, e.Size)
	}
	// Output:
	// 1 false 65536
	// 1 true 0
}
