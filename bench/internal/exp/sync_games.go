package exp

import (
	"context"
	"runtime"
	"sync"

	"greenthread/futex"
	green "greenthread/runtime"
)

const (
	syncRoom   = 2  // how many may hold a semaphore
	syncBuffer = 16 // what a channel holds
)

// onThread runs play on the kernel thread of the caller.
func onThread(play func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	play()
}

// mutexGame counts under a lock.
func mutexGame(l sync.Locker) syncGame {
	var count int64
	return syncGame{
		enter: func(int) { l.Lock() },
		leave: func(int) { count++; l.Unlock() },
		seen:  func() int64 { return count },
	}
}

func greenMutex() syncGame { return mutexGame(new(green.Mutex)) }
func goMutex() syncGame    { return mutexGame(new(sync.Mutex)) }
func futexMutex() syncGame { return mutexGame(new(futex.Mutex)) }

func greenSemaphore() syncGame {
	s := green.NewSemaphore(syncRoom)
	return syncGame{
		enter: func(int) {
			if err := s.Acquire(context.Background(), 1); err != nil {
				panic(err) // the context has no end
			}
		},
		leave: func(int) { s.Release(1) },
	}
}

// goSemaphore is a channel with room for two, as Go has no semaphore.
func goSemaphore() syncGame {
	room := make(chan struct{}, syncRoom)
	return syncGame{
		enter: func(int) { room <- struct{}{} },
		leave: func(int) { <-room },
	}
}

// channelGame has every other thread send, and the others receive. An operation is one
// of both. There may be one more sent than received, see share, for which there is room.
func channelGame(send, recv func()) syncGame {
	return syncGame{
		enter: func(thread int) {
			if thread%2 == 0 {
				send()
			} else {
				recv()
			}
		},
		leave: func(int) {},
	}
}

func greenChannel() syncGame {
	c := green.NewChan[int](syncBuffer)
	return channelGame(func() { c.Send(1) }, func() { c.Recv() })
}

func goChannel() syncGame {
	c := make(chan int, syncBuffer)
	return channelGame(func() { c <- 1 }, func() { <-c })
}

func greenWaitGroup() syncGame {
	wg := new(green.WaitGroup)
	wg.Add(1) // so that it never comes to 0 before all have ended
	return syncGame{
		enter:  func(int) { wg.Add(1) },
		leave:  func(int) { wg.Done() },
		finish: func() { wg.Done(); wg.Wait() },
	}
}

func goWaitGroup() syncGame {
	wg := new(sync.WaitGroup)
	wg.Add(1) // likewise
	return syncGame{
		enter:  func(int) { wg.Add(1) },
		leave:  func(int) { wg.Done() },
		finish: func() { wg.Done(); wg.Wait() },
	}
}
