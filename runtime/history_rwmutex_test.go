package runtime

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// More moves, of a lock for readers and writers.
const (
	readLocking moveKind = closing + 1 + iota // with a limit, or without
	tryReadLocking
	readReleasing
	wanting   // a client is about to lock for writing, in whatever way ...
	renounces // ... and has no part in that any more
)

// holders is the state of the model of a RWMutex.
type holders struct {
	readers, writers int
	wants            int // clients that lock for writing, or hold it, or have just given up
}

// readersOrWriter is the model of a RWMutex. A try may fail only for a reason: somebody
// holds the lock, or a writer is on its way, who keeps others out.
func readersOrWriter() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return holders{} },
		Step: func(state, input, output any) (bool, any) {
			s, m, out := state.(holders), input.(move), output.(outcome)
			switch m.kind {
			case wanting:
				s.wants++
			case renounces:
				s.wants--
			case readLocking, tryReadLocking:
				if !out.done {
					return m.kind == readLocking || s.wants > 0, s
				}
				s.readers++
				return s.writers == 0, s
			case readReleasing:
				s.readers--
				return s.readers >= 0, s
			case acquiring, tryAcquiring:
				if !out.done {
					return m.kind == acquiring || s.readers > 0 || s.wants > 1, s
				}
				s.writers++
				return s.readers == 0 && s.writers == 1, s
			case releasing:
				s.writers--
				return s.writers >= 0, s
			}
			return true, s
		},
	}
}

func TestHistoriesOfRWMutexAreThoseOfReadersOrOneWriter(t *testing.T) {
	histories(t, func(t *testing.T, w *world) {
		var rw RWMutex
		h := history{began: time.Now()}
		yes := outcome{done: true}
		w.atOnce(historyClients, func(i int) {
			for round := range historyMoves {
				ctx, cancel := soon(i + round)
				kind, lock, unlock := acquiring, func() bool { rw.Lock(); return true }, rw.Unlock
				way := rand.IntN(6)
				switch way {
				case 0:
					kind, lock = tryAcquiring, rw.TryLock
				case 1:
					lock = func() bool { return rw.LockContext(ctx) == nil }
				case 3:
					kind, lock, unlock = tryReadLocking, rw.TryRLock, rw.RUnlock
				case 4:
					kind, lock, unlock = readLocking, func() bool { return rw.RLockContext(ctx) == nil }, rw.RUnlock
				case 5:
					kind, lock, unlock = readLocking, func() bool { rw.RLock(); return true }, rw.RUnlock
				}
				release := readReleasing
				if way < 3 {
					release = releasing
					h.record(i, move{wanting, 0}, func() outcome { return yes })
				}
				if h.record(i, move{kind, 0}, func() outcome { return outcome{done: lock()} }).done {
					hold()
					h.record(i, move{release, 0}, func() outcome { unlock(); return yes })
				}
				if way < 3 {
					h.record(i, move{renounces, 0}, func() outcome { return yes })
				}
				cancel()
			}
		})
		h.check(t, readersOrWriter())
	})
}

func TestModelOfRWMutexRefusesWhatCannotBe(t *testing.T) {
	done, not := outcome{done: true}, outcome{}
	refuses(t, map[string]impossible{
		"a reader beside a writer": {readersOrWriter(), []porcupine.Operation{
			one(0, 0, move{acquiring, 0}, done), one(1, 2, move{readLocking, 0}, done)}},
		"a writer beside a reader": {readersOrWriter(), []porcupine.Operation{
			one(0, 0, move{readLocking, 0}, done), one(1, 2, move{acquiring, 0}, done)}},
		"two writers": {readersOrWriter(), []porcupine.Operation{
			one(0, 0, move{acquiring, 0}, done), one(1, 2, move{tryAcquiring, 0}, done)}},
		"a reader refused for nothing": {readersOrWriter(), []porcupine.Operation{
			one(0, 0, move{readLocking, 0}, done), one(1, 2, move{tryReadLocking, 0}, not)}},
		"a writer refused for nothing": {readersOrWriter(), []porcupine.Operation{
			one(0, 0, move{wanting, 0}, done), one(0, 2, move{tryAcquiring, 0}, not)}},
	})
}
