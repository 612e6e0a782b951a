package runtime

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"greenthread/asm"
)

// ErrDeadlock: all threads wait, and nobody is left to wake one. See [DeadlockError].
var ErrDeadlock = errors.New("greenthread: deadlock")

// A DeadlockError says that for about a tenth of a second nothing in the process could wake any
// of the threads of a runtime:
//
//   - all of them, and those of all other runtimes, wait by Park or the primitives of this package;
//   - none of these waits has a deadline or a context that can end, no AfterFunc or Ticker
//     is pending, and no timer of package time;
//   - every goroutine of the process waits in the same way, or in [Run]. One that blocks in
//     any other way, on the network, or in os/signal, may wake somebody, for all we know.
//
// What cannot be seen, and so may be taken for a deadlock, is a wake that would come from a
// finalizer, a cleanup, or a C thread that calls back. Where a
// version of Go is not known to this package, pending timers of package time cannot be
// told, and deadlocks are not reported; nor are they in a testing/synctest bubble, which reports
// its own.
//
// The threads stay as they are: whoever is told may wake one. It is reported once, and again if
// something has run since.
type DeadlockError struct {
	Threads int    // how many wait
	Dump    []byte // what [Runtime.Dump] writes about them
}

// Error tells how many threads wait. The dump is not in it.
func (e *DeadlockError) Error() string {
	return fmt.Sprintf("%v: nothing is left to wake what waits (%s)", ErrDeadlock, several(e.Threads, "thread"))
}

// Is makes errors.Is(e, ErrDeadlock) true.
func (e *DeadlockError) Is(target error) bool { return target == ErrDeadlock }

// deadlocks looks for deadlocks of all runtimes of the process, by one goroutine, while
// there are any.
//
//	asleep ── a monitor has nothing to look at (news) ──► watching
//	   ▲                                                     │ every firstLook, twice as long each time
//	   └── something runs, or no thread is left ─────────────┘ up to lastLook
var deadlocks struct {
	news        chan struct{} // a runtime has become quiet
	helpless    atomic.Int64  // goroutines that wait in our primitives or in Run, without a limit
	cancellable atomic.Int64  // waits that a context can end

	// A process that tests has goroutines and timers of its own: how many of the
	// former are not to count, and whether the latter are.
	discount     atomic.Int64
	ignoreTimers atomic.Bool

	mu      sync.Mutex
	watched int           // runtimes
	end     chan struct{} // closed when there are none
}

func init() { deadlocks.news = make(chan struct{}, 1) }

const (
	firstLook = 100 * time.Millisecond
	lastLook  = time.Minute
)

// watchDeadlocks makes r one of the runtimes that are looked at. Within a bubble no
// goroutine may be left behind, and the clock is another one.
func watchDeadlocks(r *Runtime) {
	if !asm.KnowsGoTimers() || asm.InBubble() {
		return
	}
	r.watched = true
	deadlocks.mu.Lock()
	defer deadlocks.mu.Unlock()
	if deadlocks.watched++; deadlocks.watched == 1 {
		deadlocks.end = make(chan struct{})
		go lookForDeadlocks(deadlocks.end)
	}
}

// unwatchDeadlocks undoes watchDeadlocks.
func unwatchDeadlocks(r *Runtime) {
	if !r.watched {
		return
	}
	deadlocks.mu.Lock()
	defer deadlocks.mu.Unlock()
	if deadlocks.watched--; deadlocks.watched == 0 {
		close(deadlocks.end)
	}
}

// becameQuiet is called by the monitor of a runtime in which nothing runs any more.
func becameQuiet() {
	select {
	case deadlocks.news <- struct{}{}:
	default:
	}
}

// lookForDeadlocks looks, rarely and ever more rarely while nothing changes.
func lookForDeadlocks(end chan struct{}) {
	timer := time.NewTimer(lastLook)
	defer timer.Stop()
	for {
		timer.Stop()
		select {
		case <-deadlocks.news:
		case <-end:
			return
		}
		var last moment
		for pause := firstLook; ; pause = min(2*pause, lastLook) {
			// Those who come and go all the time wake us no more often than this.
			timer.Reset(firstLook)
			select {
			case <-timer.C:
			case <-end:
				return
			}
			if pause > firstLook {
				timer.Reset(pause - firstLook)
				select {
				case <-timer.C:
				case <-deadlocks.news:
					pause = firstLook
				case <-end:
					return
				}
			}
			now := look()
			if !now.quiet || now.live == 0 {
				break
			}
			if now.stuck && now == last {
				reportDeadlock(now)
			}
			last = now
		}
	}
}

// A moment is what lookForDeadlocks sees. Two that are equal, and stuck, with some time
// between them, are a deadlock.
type moment struct {
	quiet bool   // as far as the monitors know, nothing runs
	stuck bool   // that is so, and nobody is left who could change it
	live  int    // threads
	turns uint64 // of all carriers, ever
}

func look() (m moment) {
	ours := int64(1) // who looks
	m.quiet, m.stuck = true, true
	for _, r := range runtimesOf() {
		live := r.living()
		m.quiet = m.quiet && r.quiet.Load() // else its monitor will send news
		carriers, turns, still := r.still()
		m.stuck = m.stuck && still && !r.timers.pending() && (r.watched || live == 0)
		m.live += live
		m.turns += turns
		ours += int64(carriers) + 1 // and the monitor
	}
	m.stuck = m.stuck && m.quiet && m.live > 0 && deadlocks.cancellable.Load() == 0 && outside(ours) <= 0 && !goTimers()
	return m
}

// still reports whether nothing runs and nothing is ready, and how many carriers there
// are, and how often they have switched.
func (r *Runtime) still() (carriers int, turns uint64, yes bool) {
	r.mu.lock()
	defer r.mu.unlock()
	all := *r.all.Load()
	sum := r.retired
	for _, c := range all {
		c.addTo(&sum)
	}
	return len(all), sum.switches.load(), len(r.idle) == len(all) && !r.hasWork()
}

// outside returns how many goroutines there are that might wake a thread, since they
// are not ours, which are that many and the anchors, and do not wait in our primitives.
func outside(ours int64) int64 {
	known := ours + deadlocks.helpless.Load() + portables.count.Load() + deadlocks.discount.Load() + int64(registered())
	return int64(runtime.NumGoroutine()) - known
}

// goTimers reports whether a timer of package time is pending, or may be.
func goTimers() bool {
	pending, known := asm.GoTimers()
	return !known || pending && !deadlocks.ignoreTimers.Load()
}

// reportDeadlock tells each runtime that has threads, unless it knows.
func reportDeadlock(now moment) {
	for _, r := range runtimesOf() {
		live := r.living()
		if live == 0 || r.reported == now {
			continue
		}
		r.reported = now
		e := &DeadlockError{Threads: live, Dump: dumped(r)}
		if r.onDeadlock != nil {
			go r.onDeadlock(e)
		} else {
			fmt.Fprintf(os.Stderr, "%v\n%s", e, e.Dump)
		}
		r.tellRuns(e)
	}
}

// runs are the calls of Run that wait.
type runs struct {
	lock  spin
	calls map[chan *DeadlockError]struct{}
}

// tellRuns ends the calls of Run.
func (r *Runtime) tellRuns(e *DeadlockError) {
	r.runs.lock.lock()
	defer r.runs.lock.unlock()
	for call := range r.runs.calls {
		select {
		case call <- e:
		default: // it has been told before
		}
	}
}

// joinRun waits for the end of t, or for a deadlock.
func (r *Runtime) joinRun(t *Thread) error {
	call := make(chan *DeadlockError, 1)
	r.runs.lock.lock()
	if r.runs.calls == nil {
		r.runs.calls = map[chan *DeadlockError]struct{}{}
	}
	r.runs.calls[call] = struct{}{}
	r.runs.lock.unlock()
	done := t.Done()
	if Current() == nil {
		deadlocks.helpless.Add(1)
		defer deadlocks.helpless.Add(-1)
	}
	defer func() {
		r.runs.lock.lock()
		delete(r.runs.calls, call)
		r.runs.lock.unlock()
	}()
	select {
	case <-done:
		return nil
	case e := <-call:
		if t.over() {
			return nil
		}
		return e
	}
}
