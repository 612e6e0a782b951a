package exp

import (
	"context"
	"sync"
)

// goCrew makes goroutines.
func goCrew(context.Context) (crew, error) {
	return crew{each: func(do func(int)) error {
		var wg sync.WaitGroup
		for i := range syncThreads {
			wg.Go(func() { do(i) })
		}
		wg.Wait()
		return nil
	}}, nil
}

func goMutexGame() syncGame {
	var m sync.Mutex
	shared := 0
	return syncGame{part: func(_, times int) {
		for range times {
			m.Lock()
			shared++
			m.Unlock()
		}
	}}
}

// goSemaphoreGame uses a channel with room for two, as Go has no semaphore.
func goSemaphoreGame() syncGame {
	room := make(chan struct{}, syncRoom)
	return syncGame{part: func(_, times int) {
		for range times {
			room <- struct{}{}
			<-room
		}
	}}
}

// goChannelGame has every other thread send, and the others receive; an operation is
// one of both. There may be one more sent than received, for which there is room.
func goChannelGame() syncGame {
	c := make(chan int, syncBuffer)
	return syncGame{part: func(thread, times int) {
		for i := range times {
			if thread%2 == 0 {
				c <- i
			} else {
				<-c
			}
		}
	}}
}

func goWaitGroupGame() syncGame {
	var wg sync.WaitGroup
	wg.Add(1) // so that it never comes to 0 before all have ended
	return syncGame{part: func(_, times int) {
		for range times {
			wg.Add(1)
			wg.Done()
		}
	}, finish: func() { wg.Done(); wg.Wait() }}
}

const (
	syncRoom   = 2  // how many may hold a semaphore
	syncBuffer = 16 // what a channel holds
)
