package runtime

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// A simulation decides for a runtime with one carrier what a real one leaves to
// chance: which thread runs next, where one is interrupted, and what time it is. All is
// drawn from one seed, so what has happened once happens again.
//
//   - next: whoever is ready, with the same probability each;
//   - interrupts: before each operation of a primitive, and between some of its steps, with
//     a probability of a quarter, somebody else runs first;
//   - time: it stands still while anybody can run, then goes on to the next timer.
type simulation struct {
	random *rand.Rand
	ready  []*task
	clock  atomic.Int64
	steps  int
	limit  int         // of steps
	dying  atomic.Bool // threads end where they are resumed

	tickers  map[*timer]*Ticker // all that were made
	contexts []*contextWait     // that a wait depends on

	begun chan struct{} // closed when the first thread was started
	mu    sync.Mutex
	cause error         // what has ended it
	end   chan struct{} // closed when the last thread has ended
}

// MaxSimulationSteps is how many steps a simulation may take: threads resumed, and Yields
// for which nobody else was ready. They take some seconds.
const MaxSimulationSteps = 10_000_000

// An EndlessError says that a simulation has taken MaxSimulationSteps steps: threads go on
// that wait for what never happens, such as by Yield, or by a Ticker.
type EndlessError struct {
	Dump []byte // what [Runtime.Dump] writes about the threads then
}

// Error names the limit. The dump is not in it.
func (e *EndlessError) Error() string {
	return fmt.Sprintf("greenthread: no end after %d steps", MaxSimulationSteps)
}

// A SimulationError says how a simulation has failed. It wraps a *DeadlockError,
// a *PanicError or an *EndlessError.
type SimulationError struct {
	Seed  uint64 // Simulate with it repeats the failure
	Steps int    // until then, see MaxSimulationSteps
	Err   error
}

// Error names the seed and the failure.
func (e *SimulationError) Error() string {
	return fmt.Sprintf("greenthread: simulation with seed %d, after %d steps: %v", e.Seed, e.Steps, e.Err)
}

// Unwrap returns Err.
func (e *SimulationError) Unwrap() error { return e.Err }

// Simulate runs fn, and the threads that it starts by Go, in a runtime of their own in
// which everything is decided by seed: which thread runs next, whether one is
// interrupted before an operation of a primitive of this package, and the time, which
// leaps to the next timer when no thread can run. So a test can try many interleavings,
// and repeat the one that fails:
//
//	for seed := range uint64(1000) {
//		if err := green.Simulate(seed, body); err != nil {
//			t.Fatal(err)
//		}
//	}
//
// It waits until all threads have ended, and returns nil, or a *SimulationError: when no
// thread can run and no timer is left but those of tickers whose C is full, so that nobody
// will look at it (it wraps a *DeadlockError); when a thread has panicked (a *PanicError);
// or when it does not come to an end (an *EndlessError). The threads that are left then
// end as by runtime.Goexit: their deferred calls run, but wherever one would wait, it ends.
//
// It repeats exactly only what depends on nothing else: threads must wait for each other
// only by the primitives of this package, read the time by [Now], draw random numbers
// from a seed, and not range over maps. Coroutines of the portable backend must not wait. Threads may cancel contexts; the deadlines of package
// context are in real time, for which Simulate waits when nothing else is left, so a
// limit is better an [AfterFunc] that cancels. What blocks in Go blocks all of them; a thread that
// waits while it is locked to its kernel thread counts as one that has panicked. There are no
// data races in it, since one thread runs at a time; but it finds what is wrong though
// locked. The error wraps ErrBadOption for a nil fn.
func Simulate(seed uint64, fn func()) error {
	if fn == nil {
		return fmt.Errorf("%w: the function is nil", ErrBadOption)
	}
	return simulate(seed, MaxSimulationSteps, fn)
}

// simulate is Simulate with another limit of steps.
func simulate(seed uint64, limit int, fn func()) error {
	s := &simulation{
		random:  rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15)),
		limit:   limit,
		tickers: map[*timer]*Ticker{},
		begun:   make(chan struct{}),
		end:     make(chan struct{}),
	}
	s.clock.Store(1)
	r, err := newRuntime(Config{Carriers: 1}, s)
	if err != nil {
		return err
	}
	simulations.Add(1)
	defer simulations.Add(-1)
	_, err = r.Go(fn)
	close(s.begun)
	<-s.end
	if err != nil {
		return err
	}
	if s.cause == nil {
		return nil
	}
	return &SimulationError{Seed: seed, Steps: s.steps, Err: s.cause}
}

// simulations counts those that run.
var simulations atomic.Int32

// point is called before each operation of a primitive, and in the middle of those that are
// not over at once, where no lock is held. In a simulation, others may run there.
func point() {
	if simulations.Load() != 0 {
		interrupt()
	}
}

func interrupt() {
	if s := simulated(); s != nil && !s.dying.Load() && s.random.IntN(4) == 0 {
		Yield()
	}
}

// simulated returns the simulation of the thread that calls it, nil if there is none.
func simulated() *simulation {
	if t := caller(); t != nil {
		return t.rt.sim
	}
	return nil
}

// randomN is rand.IntN; in a simulation, it depends on the seed.
func randomN(n int) int {
	if simulations.Load() != 0 {
		if s := simulated(); s != nil {
			return s.random.IntN(n)
		}
	}
	return rand.IntN(n)
}

// nextSimulated is next in a simulation.
func (c *carrier) nextSimulated() *task {
	r := c.rt
	s := r.sim
	s.lookAtContexts()
	for t := c.drain(); t != nil; t = c.drain() {
		s.ready = append(s.ready, t)
	}
	r.global.lock.lock()
	for t := r.global.list.pop(); t != nil; t = r.global.list.pop() {
		s.ready = append(s.ready, t)
	}
	r.global.lock.unlock()
	n := len(s.ready)
	if n == 0 {
		return nil
	}
	i := s.random.IntN(n)
	t := s.ready[i]
	s.ready[i] = s.ready[n-1]
	s.ready[n-1] = nil
	s.ready = s.ready[:n-1]
	s.step(r)
	return t
}

// step counts a step of r's simulation, and ends it if it was one too many.
func (s *simulation) step(r *Runtime) {
	if s.steps++; s.steps == s.limit && !s.dying.Load() {
		s.fail(&EndlessError{Dump: dumped(r)})
	}
}

func dumped(r *Runtime) []byte {
	var dump bytes.Buffer
	_ = r.Dump(&dump) // a buffer takes everything
	return dump.Bytes()
}

// hopeless reports whether all timers are those of tickers that will tick for ever, and
// change nothing: nobody can run, and C is full.
func (s *simulation) hopeless(r *Runtime) bool {
	h := &r.timers
	h.lock.lock()
	defer h.lock.unlock()
	for _, t := range h.heap {
		if ticker := s.tickers[t]; ticker == nil || !ticker.C.full() {
			return false
		}
	}
	return true
}

// idle is called in the loop when no thread is ready. It reports false when the
// simulation has ended.
func (s *simulation) idle(r *Runtime) bool {
	<-s.begun
	if r.hasWork() {
		return true
	}
	live := r.living()
	if live == 0 { // whatever timers there are: a ticker that nobody stops shall not go on for ever
		r.closing.Store(true)
		r.checkEnd()
		close(s.end)
		return false
	}
	if when := r.timers.first(); when != noTime && !s.dying.Load() && !s.hopeless(r) {
		s.clock.Store(max(when, s.clock.Load()))
		r.timers.expire(s.clock.Load())
		return true
	}
	if !s.dying.Load() && s.awaitContext() {
		return true
	}
	if !s.dying.Load() {
		s.fail(&DeadlockError{Threads: live, Dump: dumped(r)})
	}
	// Let all who wait go on, to their end.
	for _, t := range threadsOf(r) {
		if t.State() == StateWaiting {
			t.setState(StateReady)
			r.global.push(t)
		}
	}
	return true
}

// fail ends the simulation for that reason, unless there is another one.
func (s *simulation) fail(cause error) {
	s.mu.Lock()
	if s.cause == nil {
		s.cause = cause
	}
	s.mu.Unlock()
	s.dying.Store(true)
}

// resumed is called by a thread that goes on in a simulation.
func (s *simulation) resumed() {
	if s.dying.Load() {
		runtime.Goexit()
	}
}

// mustSwitch is called by t, which may be nil, before it waits without being switched
// out, since it is locked to its kernel thread. In a simulation nobody else could run
// then and wake it.
func (t *task) mustSwitch() {
	if t == nil || t.rt.sim == nil {
		return
	}
	t.rt.sim.fail(&PanicError{
		Value: "a thread that has called runtime.LockOSThread waits, and holds the only carrier",
		Stack: debug.Stack(),
		Name:  t.name(),
	})
	runtime.Goexit()
}

// birthOfTime is what Now returns at the beginning of a simulation; that of
// testing/synctest is the same.
var birthOfTime = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// Now returns the time; in a thread of [Simulate], the simulation's.
func Now() time.Time {
	if simulations.Load() != 0 {
		if s := simulated(); s != nil {
			return birthOfTime.Add(time.Duration(s.clock.Load() - 1))
		}
	}
	return time.Now()
}
