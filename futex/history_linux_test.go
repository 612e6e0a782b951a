//go:build linux && !futexportable

package futex_test

import (
	"encoding/json"
	"os"
	"sync"
	"testing"

	"github.com/anishathalye/porcupine"

	"greenthread/futex"
)

// step is an operation as a process writes it down for another: both read the same clock.
type step struct {
	Client    int
	Semaphore bool
	Move      move
	Got       bool
	Call, End int64
}

func init() {
	roles["history"] = func(l *lobby) error {
		return json.NewEncoder(os.Stdout).Encode(liveThrough(l, clients))
	}
}

// liveThrough has a few clients, numbered from first on, lock, try, give up and unlock, and returns what happened.
func liveThrough(l *lobby, first int) (steps []step) {
	var lock sync.Mutex
	record := func(s step, do func() bool) bool {
		s.Call = int64(futex.Now())
		s.Got = do()
		s.End = int64(futex.Now())
		lock.Lock()
		defer lock.Unlock()
		steps = append(steps, s)
		return s.Got
	}
	l.barrier.Wait(processes)
	together(3, func(i int) {
		onMutex, onSemaphore := step{Client: first + i}, step{Client: first + i, Semaphore: true}
		for round := range moves {
			if record(onMutex, func() bool {
				switch (i + round) % 3 {
				case 0:
					return l.mutex.LockUntil(briefly(round)) == nil
				case 1:
					got, _ := l.mutex.TryLock()
					return got
				}
				return l.mutex.Lock() == nil
			}) {
				onMutex.Move = release
				record(onMutex, func() bool { return l.mutex.Unlock() == nil })
				onMutex.Move = acquire
			}
			onSemaphore.Move = tryHard
			if record(onSemaphore, l.semaphore.TryAcquire) {
				onSemaphore.Move = release
				record(onSemaphore, func() bool { return l.semaphore.Release(1) == nil })
			}
		}
	})
	return steps
}

// What two processes saw, put together, is what one lock and one counter could have shown them.
func TestHistoriesOfTwoProcessesFitTogether(t *testing.T) {
	watchdog(t)
	for range 5 {
		l, file := newLobby(t)
		ok(t, l.semaphore.Release(2))
		other := cast(t, "history", "", file)
		steps := liveThrough(l, 0)
		other.join(t)
		var theirs []step
		if err := json.Unmarshal(other.out.Bytes(), &theirs); err != nil {
			t.Fatalf("%v: %s", err, &other.out)
		}
		var onMutex, onSemaphore history
		for _, s := range append(steps, theirs...) {
			h := &onMutex
			if s.Semaphore {
				h = &onSemaphore
			}
			h.operations = append(h.operations, porcupine.Operation{
				ClientId: s.Client, Input: s.Move, Call: s.Call, Output: outcome(s.Got), Return: s.End,
			})
		}
		onMutex.check(t, lockModel(1))
		onSemaphore.check(t, lockModel(2))
	}
}
