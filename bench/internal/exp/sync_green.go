package exp

import (
	"context"
	"errors"

	green "greenthread/runtime"
)

// greenCrew makes green threads, on as many carriers as there are by default.
func greenCrew(context.Context) (crew, error) {
	r, err := green.New(green.Config{})
	if err != nil {
		return crew{}, err
	}
	each := func(do func(int)) error {
		var threads [syncThreads]*green.Thread
		for i := range threads {
			t, err := r.Go(func() { do(i) })
			if err != nil {
				return err // those before it may wait for it; the variant ends here
			}
			threads[i] = t
		}
		var errs []error
		for _, t := range threads {
			errs = append(errs, t.Join(context.Background()))
		}
		return errors.Join(errs...)
	}
	return crew{each: each, end: trimmed(func() error { return r.Close(context.Background()) })}, nil
}

func greenMutexGame() syncGame {
	var m green.Mutex
	shared := 0
	return syncGame{part: func(_, times int) {
		for range times {
			m.Lock()
			shared++
			m.Unlock()
		}
	}}
}

func greenSemaphoreGame() syncGame {
	room := green.NewSemaphore(syncRoom)
	return syncGame{part: func(_, times int) {
		for range times {
			if err := room.Acquire(context.Background(), 1); err != nil {
				panic(err) // the context has no end
			}
			room.Release(1)
		}
	}}
}

// greenChannelGame is goChannelGame with green threads.
func greenChannelGame() syncGame {
	c := green.NewChan[int](syncBuffer)
	return syncGame{part: func(thread, times int) {
		for i := range times {
			if thread%2 == 0 {
				c.Send(i)
			} else {
				c.Recv()
			}
		}
	}}
}

func greenWaitGroupGame() syncGame {
	var wg green.WaitGroup
	wg.Add(1) // so that it never comes to 0 before all have ended
	return syncGame{part: func(_, times int) {
		for range times {
			wg.Add(1)
			wg.Done()
		}
	}, finish: func() { wg.Done(); wg.Wait() }}
}
