package futex_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"greenthread/futex"
)

// Gate is a door that opens once, in one word. Here the word is private; in mapped memory, with Shared, other
// processes could wait at the same door.
type Gate struct{ word uint32 }

const (
	shut = iota
	open
)

// Pass waits until the gate is open.
func (g *Gate) Pass() error {
	for atomic.LoadUint32(&g.word) == shut {
		if err := futex.Wait(&g.word, shut, futex.Private); err != nil {
			return err
		}
	}
	return nil
}

// Open lets everyone through, now and later.
func (g *Gate) Open() {
	if atomic.SwapUint32(&g.word, open) == shut {
		futex.Wake(&g.word, futex.WakeAll, futex.Private)
	}
}

func Example() {
	var gate Gate
	var all sync.WaitGroup
	var through atomic.Int32
	for range 3 {
		all.Go(func() {
			if gate.Pass() == nil {
				through.Add(1)
			}
		})
	}
	gate.Open()
	all.Wait()
	fmt.Println(through.Load(), "are through")
	// Output: 3 are through
}

func ExampleWaitUntil() {
	word := new(uint32)
	deadline := futex.After(2 * time.Millisecond)
	for atomic.LoadUint32(word) == 0 {
		// The deadline is absolute, so it can be given again after each wake-up.
		err := futex.WaitUntil(word, 0, deadline, futex.Private)
		if errors.Is(err, futex.ErrTimeout) {
			fmt.Println("nobody came")
			break
		}
	}
	// Output: nobody came
}
