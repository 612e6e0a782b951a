package runtime_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	green "greenthread/runtime"
)

// In a bubble of testing/synctest, who waits at a primitive of ours that was made there is
// durably blocked, and time is the bubble's.
func TestPrimitivesInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		r, err := green.New(green.Config{Carriers: 2})
		if err != nil {
			t.Fatal(err)
		}
		var (
			m     green.Mutex
			rw    green.RWMutex
			cond  = green.NewCond(&m)
			c     = green.NewChan[int](0)
			sem   green.Semaphore
			b     = green.NewBarrier(2)
			tasks green.WaitGroup
		)
		rw.Lock()
		passed := 0
		wait := []func(){
			func() { m.Lock(); cond.Wait(); m.Unlock() },
			func() { rw.RLock(); rw.RUnlock() },
			func() { c.Recv() },
			func() { _ = sem.Acquire(context.Background(), 1) },
			func() { _, _ = b.Wait(context.Background()) },
			func() { green.Select(c.RecvCase(nil, nil)) },
		}
		for _, f := range wait {
			go func() {
				f()
				time.Sleep(time.Hour)
				m.Lock()
				passed++
				m.Unlock()
			}()
		}
		starter, err := r.Go(func() {
			for range 3 {
				if err := tasks.Go(func() { green.Sleep(time.Minute) }); err != nil {
					t.Error(err)
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		<-starter.Done()
		synctest.Wait() // returns when all of them are durably blocked
		if time.Since(began) != 0 || passed != 0 {
			t.Errorf("%v have passed, and %d", time.Since(began), passed)
		}
		cond.Signal()
		rw.Unlock()
		c.Send(1)
		c.Send(2)
		sem.Release(1)
		_, _ = b.Wait(context.Background())
		tasks.Wait()
		if d := time.Since(began); d != time.Minute {
			t.Errorf("%v have passed", d)
		}
		i := green.Select(c.RecvCase(nil, nil), green.AfterCase(2*time.Hour))
		m.Lock()
		n := passed
		m.Unlock()
		if i != 1 || n != len(wait) {
			t.Errorf("case %d, %d have passed", i, n)
		}
		if d := time.Since(began); d != time.Minute+2*time.Hour {
			t.Errorf("%v have passed", d)
		}
		last, err := r.Go(func() {
			f := green.Spawn(func() (time.Duration, error) {
				green.Sleep(time.Hour)
				return time.Since(began), nil
			})
			if d, err := f.Get(context.Background()); d != time.Minute+3*time.Hour || err != nil {
				t.Errorf("%v have passed, %v", d, err)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		<-last.Done()
		if err := r.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
}
