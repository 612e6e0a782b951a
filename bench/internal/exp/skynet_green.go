package exp

import (
	"context"
	"errors"
	"sync/atomic"

	green "greenthread/runtime"
)

// skynetGreen grows the tree of green threads and their channels, on as many carriers
// as there are by default.
func skynetGreen(leaves int) (sum int, err error) {
	r, err := green.New(green.Config{})
	if err != nil {
		return 0, err
	}
	var refused atomic.Pointer[error] // the first thread that could not be made
	var node func(out *green.Chan[int], first, leaves int)
	grow := func(out *green.Chan[int], first, leaves int) {
		if _, err := r.Go(func() { node(out, first, leaves) }); err != nil {
			refused.CompareAndSwap(nil, &err)
			out.Send(0)
		}
	}
	node = func(out *green.Chan[int], first, leaves int) {
		if leaves == 1 {
			out.Send(first)
			return
		}
		in := green.NewChan[int](0)
		parts := skynetParts(first, leaves, func(first, leaves int) { grow(in, first, leaves) })
		sum := 0
		for range parts {
			part, _ := in.Recv()
			sum += part
		}
		out.Send(sum)
	}
	out := green.NewChan[int](1) // with room, so that a refusal of the first is no deadlock
	grow(out, 0, leaves)
	sum, _ = out.Recv()
	if e := refused.Load(); e != nil {
		return 0, errors.Join(*e, r.Close(context.Background()))
	}
	return sum, r.Close(context.Background())
}
