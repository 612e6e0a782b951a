package exp

// skynetGoroutine grows the tree of goroutines and channels.
func skynetGoroutine(leaves int) (sum int, err error) {
	var node func(out chan<- int, first, leaves int)
	node = func(out chan<- int, first, leaves int) {
		if leaves == 1 {
			out <- first
			return
		}
		in := make(chan int)
		parts := skynetParts(first, leaves, func(first, leaves int) { go node(in, first, leaves) })
		sum := 0
		for range parts {
			sum += <-in
		}
		out <- sum
	}
	out := make(chan int)
	go node(out, 0, leaves)
	return <-out, nil
}
