package runtime

import (
	"context"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Threads that move between carriers, and goroutines, hand pointers to each other by
// channels and under locks, and keep them in deep frames, while the collector runs without
// pause. What was written into the stack of another, or was forgotten by a queue, would be
// a damaged node.
func TestStressOfHandingOverUnderGC(t *testing.T) {
	watch(t)
	d := 300 * time.Millisecond
	if s, err := time.ParseDuration(os.Getenv("GREENTHREAD_STRESS")); err == nil {
		d = s
	}
	deadline := time.Now().Add(d)
	stop := make(chan struct{})
	var collector sync.WaitGroup
	collector.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	})
	w := &world{t: t, rt: runtimeOf(t, 2), both: true}
	type parcel struct {
		n    *node
		seed int
	}
	chans := []*Chan[parcel]{NewChan[parcel](0), NewChan[parcel](3)}
	var m Mutex
	var kept parcel // guarded by m
	check := func(p parcel) {
		if p.n == nil {
			return
		}
		if err := p.n.verify(3, p.seed); err != nil {
			t.Error(err)
		}
	}
	var moved atomic.Int64 // waits after which a thread was on another carrier
	var deep func(level, seed int, ctx context.Context)
	deep = func(level, seed int, ctx context.Context) {
		p := parcel{grow(3, seed), seed}
		if level > 0 {
			deep(level-1, seed*3+1, ctx)
		}
		c := chans[seed%len(chans)]
		var got parcel
		number := func() int {
			if th := Current(); th != nil {
				return th.task.carrier.number
			}
			return 0
		}
		before := number()
		switch seed % 4 {
		case 0:
			_ = c.SendContext(ctx, p)
		case 1:
			got, _, _ = c.RecvContext(ctx)
		case 2:
			Select(c.RecvCase(&got, nil), chans[0].SendCase(p), AfterCase(50*time.Microsecond))
		case 3:
			m.Lock()
			got, kept = kept, p
			m.Unlock()
		}
		if number() != before {
			moved.Add(1)
		}
		check(got)
		check(p)
	}
	w.together(8, func(i int) {
		goesOn := func() bool { // on a slow machine longer, until one has moved
			late := time.Since(deadline)
			return late < 0 || moved.Load() == 0 && late < 10*time.Second
		}
		for seed := i; goesOn(); seed += 7 {
			ctx, cancel := context.WithTimeout(context.Background(), 100*time.Microsecond)
			deep(6, seed, ctx)
			cancel()
		}
	})
	close(stop)
	collector.Wait()
	t.Logf("threads have moved to another carrier %d times", moved.Load())
	if moved.Load() == 0 {
		t.Error("no thread has moved to another carrier")
	}
}
