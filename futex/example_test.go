package futex_test

import (
	"context"
	"fmt"
	"time"

	"greenthread/futex"
)

// A worker takes what is there, and parks when there is nothing. It does not matter whether the Unpark comes before the
// Park: the token waits.
func ExampleParker() {
	var worker futex.Parker
	done := make(chan struct{})
	answer := 0
	go func() {
		defer close(done)
		worker.Park()
		fmt.Println("the answer is", answer)
	}()

	answer = 42
	worker.Unpark() // what came before it is seen after Park
	<-done
	// Output: the answer is 42
}

func ExampleParker_ParkUntil() {
	var p futex.Parker
	fmt.Println(p.ParkUntil(futex.After(time.Millisecond)))
	p.Unpark() // too late for that one, not for the next
	fmt.Println(p.ParkUntil(futex.After(time.Millisecond)))
	// Output:
	// false
	// true
}

func ExampleParker_ParkContext() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	var p futex.Parker
	fmt.Println(p.ParkContext(ctx))
	// Output: context deadline exceeded
}
