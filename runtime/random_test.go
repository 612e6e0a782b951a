package runtime

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Random programs over all primitives: nobody is left behind, nothing is lost, and what
// excludes each other does.

// A stage is what the clients of a random program share.
type stage struct {
	t           *testing.T
	mutex       Mutex
	rw          RWMutex
	permits     *Semaphore
	chans       []*Chan[int]
	cond        *Cond
	barrier     *Barrier
	once        Once
	inside      int // guarded by mutex
	shared      int // guarded by rw
	initialized int // guarded by once
	onceRun     atomic.Int32
	used        atomic.Int64 // permits
	sent, got   []atomic.Int32
	met, rounds atomic.Int32
}

// newStage makes a stage for that many acts.
func newStage(t *testing.T, total int) *stage {
	s := &stage{
		t: t, permits: NewSemaphore(3), barrier: NewBarrier(2),
		chans: []*Chan[int]{NewChan[int](0), NewChan[int](1), NewChan[int](0)},
		sent:  make([]atomic.Int32, total), got: make([]atomic.Int32, total),
	}
	s.cond = NewCond(&s.mutex)
	return s
}

// An act is one step of a client; n is random, and ctx ends soon.
type act func(s *stage, id, n int, ctx context.Context)

func (s *stage) exclusive(n int) {
	if s.inside++; s.inside != 1 {
		s.t.Error("two hold the mutex")
	}
	if n%2 == 0 {
		Yield()
	}
	s.inside--
}

func (s *stage) write(n int) {
	s.shared++
	if n%2 == 0 {
		Yield()
	}
	s.shared++
}

func (s *stage) read() {
	if s.shared%2 != 0 {
		s.t.Error("a reader beside a writer")
	}
}

var acts = []act{
	func(s *stage, _, n int, _ context.Context) {
		s.mutex.Lock()
		s.exclusive(n)
		s.mutex.Unlock()
	},
	func(s *stage, _, n int, ctx context.Context) {
		if s.mutex.LockContext(ctx) == nil {
			s.exclusive(n)
			s.mutex.Unlock()
		}
	},
	func(s *stage, _, n int, _ context.Context) {
		s.rw.Lock()
		s.write(n)
		s.rw.Unlock()
	},
	func(s *stage, _, n int, ctx context.Context) {
		if s.rw.LockContext(ctx) == nil {
			s.write(n)
			s.rw.Unlock()
		}
	},
	func(s *stage, _, n int, ctx context.Context) {
		s.rw.RLock()
		s.read()
		s.rw.RUnlock()
		if s.rw.RLockContext(ctx) == nil {
			s.read()
			s.rw.RUnlock()
		}
	},
	func(s *stage, _, n int, ctx context.Context) {
		n = n%3 + 1
		if s.permits.Acquire(ctx, n) == nil {
			if used := s.used.Add(int64(n)); used > 3 {
				s.t.Errorf("%d permits of 3 are used", used)
			}
			Yield()
			s.used.Add(-int64(n))
			s.permits.Release(n)
		}
	},
	func(s *stage, id, n int, ctx context.Context) {
		if s.chans[n%len(s.chans)].SendContext(ctx, id) == nil {
			s.sent[id].Add(1)
		}
	},
	func(s *stage, _, n int, ctx context.Context) {
		if v, ok, err := s.chans[n%len(s.chans)].RecvContext(ctx); ok && err == nil {
			s.got[v].Add(1)
		}
	},
	func(s *stage, id, n int, ctx context.Context) {
		var v int
		a, b := s.chans[n%len(s.chans)], s.chans[(n+1)%len(s.chans)]
		switch Select(a.SendCase(id), b.RecvCase(&v, nil), DoneCase(ctx), AfterCase(time.Duration(n)*time.Microsecond)) {
		case 0:
			s.sent[id].Add(1)
		case 1:
			s.got[v].Add(1)
		}
	},
	func(s *stage, id, n int, ctx context.Context) {
		s.cond.L.Lock()
		_ = s.cond.WaitContext(ctx)
		s.exclusive(n)
		s.cond.L.Unlock()
	},
	func(s *stage, _, n int, _ context.Context) {
		if n%2 == 0 {
			s.cond.Signal()
		} else {
			s.cond.Broadcast()
		}
	},
	func(s *stage, _, _ int, ctx context.Context) {
		last, err := s.barrier.Wait(ctx)
		if err == nil {
			s.met.Add(1)
		}
		if last {
			s.rounds.Add(1)
		}
	},
	func(s *stage, _, _ int, _ context.Context) {
		s.once.Do(func() {
			Yield()
			s.initialized++
			s.onceRun.Add(1)
		})
		if s.initialized != 1 {
			s.t.Error("Do has returned before the function")
		}
	},
	func(s *stage, _, n int, ctx context.Context) {
		var done int
		f := Spawn(func() (int, error) { Yield(); done = n; return n, nil })
		if v, err := f.Get(context.Background()); v != n || done != n || err != nil {
			s.t.Errorf("future: %d, %v, want %d", v, err, n)
		}
	},
	func(s *stage, _, n int, ctx context.Context) {
		var wg WaitGroup
		sum := make([]int, n%3)
		for i := range sum {
			if err := wg.Go(func() { sum[i] = 1 }); err != nil {
				s.t.Error(err)
			}
		}
		wg.Wait()
		if slices.Contains(sum, 0) {
			s.t.Error("Wait has not waited")
		}
	},
	func(s *stage, _, n int, ctx context.Context) {
		_ = SleepContext(ctx, time.Duration(n)*time.Microsecond)
	},
	func(s *stage, _, _ int, _ context.Context) { Yield() },
	// The last two run in coroutines.
	func(s *stage, _, n int, _ context.Context) {
		err := Do(func() {
			s.mutex.Lock()
			s.exclusive(n)
			s.mutex.Unlock()
		})
		if err != nil {
			s.t.Error(err)
		}
	},
	func(s *stage, _, n int, ctx context.Context) {
		next, stop := Pull(func(yield func(int) bool) {
			s.rw.Lock()
			s.write(n)
			s.rw.Unlock()
			if yield(1) && s.permits.Acquire(ctx, 1) == nil {
				s.permits.Release(1)
			}
		})
		next()
		Yield()
		next()
		stop()
	},
}

// play runs a random program on that many carriers, 0 is goroutines only.
func play(t *testing.T, rt *rapid.T, carriers int) {
	const clients = 6
	w := &world{t: t, both: rapid.Bool().Draw(rt, "both")}
	locked := rapid.IntRange(0, 2*clients).Draw(rt, "locked to its kernel thread")
	if carriers > 0 {
		r, err := New(Config{Carriers: carriers})
		if err != nil {
			t.Fatal(err)
		}
		w.rt = r
		defer func() {
			if err := r.Close(context.Background()); err != nil {
				t.Error(err)
			}
		}()
	}
	steps := make([][]int, clients)
	total := 0
	for i := range steps {
		steps[i] = rapid.SliceOfN(rapid.IntRange(0, len(acts)*50-1), 0, 25).Draw(rt, fmt.Sprint("client ", i))
		total += len(steps[i])
	}
	s := newStage(t, total)
	var ids atomic.Int32
	w.together(clients, func(i int) {
		if i == locked {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
		}
		for round, step := range steps[i] {
			ctx, cancel := soon(i + round)
			acts[step%len(acts)](s, int(ids.Add(1)-1), step/len(acts), ctx)
			cancel()
		}
	})
	s.check(rt)
}

// check looks at what must be so when all have ended.
func (s *stage) check(rt rapid.TB) {
	for _, c := range s.chans {
		for v, ok, _ := c.TryRecv(); ok; v, ok, _ = c.TryRecv() {
			s.got[v].Add(1)
		}
		if !c.senders.empty() || !c.receivers.empty() {
			rt.Fatal("somebody waits at a channel")
		}
	}
	for i := range s.sent {
		if s.sent[i].Load() != s.got[i].Load() {
			rt.Fatalf("value %d: sent %d times, received %d times", i, s.sent[i].Load(), s.got[i].Load())
		}
	}
	if s.mutex.state.Load() != 0 || !s.mutex.queue.empty() || s.rw.state.Load() != 0 || s.permits.state.Load() != 3*2 ||
		!s.cond.queue.empty() || !s.barrier.queue.empty() {
		rt.Fatalf("left behind: mutex %b, rwmutex %b, %d permits", s.mutex.state.Load(), s.rw.state.Load(), s.permits.Free())
	}
	if s.met.Load() != 2*s.rounds.Load() {
		rt.Fatalf("%d have met at the barrier for 2, in %d meetings", s.met.Load(), s.rounds.Load())
	}
	if s.onceRun.Load() > 1 {
		rt.Fatal("done twice")
	}
	if s.t.Failed() {
		rt.Fatal("see above")
	}
}

// TestStressOfRandomPrograms runs as many of them in each combination of GOMAXPROCS and
// carriers; with GREENTHREAD_STRESS, each combination for its part of that time.
func TestStressOfRandomPrograms(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	procs, carriers := []int{1, 2, 8}, []int{0, 1, 2, 8}
	var each time.Duration
	if d, err := time.ParseDuration(os.Getenv("GREENTHREAD_STRESS")); err == nil {
		each = d / time.Duration(len(procs)*len(carriers))
	}
	for _, p := range procs {
		for _, c := range carriers {
			t.Run(fmt.Sprintf("procs=%d/carriers=%d", p, c), func(t *testing.T) {
				runtime.GOMAXPROCS(p)
				dog := watch(t)
				for until := time.Now().Add(each); ; {
					rapid.Check(t, func(rt *rapid.T) {
						dog.moves()
						play(t, rt, c)
					})
					if !time.Now().Before(until) || t.Failed() {
						return
					}
				}
			})
		}
	}
}
