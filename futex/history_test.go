package futex_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"greenthread/futex"
)

// What a client of a lock did, and whether it got what it asked for.
type (
	move    uint8
	outcome bool
)

const (
	acquire move = iota // for good, for a time, or at once if possible
	tryHard             // at once, and a no means that it was not to be had
	release
	acquireShared
	releaseShared
)

// holders is the state of the model: how many hold the lock, and how many of them alone.
type holders struct{ shared, alone int }

// lockModel says which histories a lock may have that so many can hold, or one alone.
func lockModel(room int) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return holders{} },
		Step: func(state, input, output any) (bool, any) {
			s := state.(holders)
			if !output.(outcome) { // it gave up
				return input.(move) != tryHard || s.alone == room || s.shared > 0, s
			}
			switch input.(move) {
			case acquire, tryHard:
				s.alone++
				return s.alone <= room && s.shared == 0, s
			case release:
				s.alone--
				return s.alone >= 0, s
			case acquireShared:
				s.shared++
				return s.alone == 0, s
			default:
				s.shared--
				return s.shared >= 0, s
			}
		},
	}
}

// history records what happens between clients.
type history struct {
	start time.Time
	sync.Mutex
	operations []porcupine.Operation
}

func (h *history) record(client int, m move, do func() bool) bool {
	call := time.Since(h.start)
	got := do()
	end := time.Since(h.start)
	h.Lock()
	defer h.Unlock()
	h.operations = append(h.operations, porcupine.Operation{
		ClientId: client, Input: m, Call: int64(call), Output: outcome(got), Return: int64(end),
	})
	return got
}

func (h *history) check(t *testing.T, model porcupine.Model) {
	t.Helper()
	switch porcupine.CheckOperationsTimeout(model, h.operations, 10*time.Second) {
	case porcupine.Illegal:
		t.Error("no order of these operations explains their outcomes")
		for _, op := range h.operations {
			t.Logf("%+v", op)
		}
	case porcupine.Unknown:
		t.Log("the history could not be judged in time")
	}
}

func briefly(round int) futex.Deadline {
	return futex.After(time.Duration(round%4) * 20 * time.Microsecond)
}

const (
	clients = 5
	moves   = 40
)

func TestHistoriesOfMutexAreThoseOfALock(t *testing.T) {
	everywhere(t, func(t *testing.T, w world) {
		m, h := w.mutex(), history{start: time.Now()}
		together(clients, func(i int) {
			for round := range moves {
				if h.record(i, acquire, func() bool {
					switch (i + round) % 3 {
					case 0:
						return m.LockUntil(briefly(round)) == nil
					case 1:
						got, _ := m.TryLock()
						return got
					}
					return m.Lock() == nil
				}) {
					h.record(i, release, func() bool { return m.Unlock() == nil })
				}
			}
		})
		h.check(t, lockModel(1))
	})
}

func TestHistoriesOfRWMutexAreThoseOfALock(t *testing.T) {
	everywhere(t, func(t *testing.T, w world) {
		m, h := w.rwMutex(), history{start: time.Now()}
		together(clients, func(i int) {
			for round := range moves {
				if (i+round)%3 == 0 {
					if h.record(i, acquire, func() bool { return m.LockUntil(briefly(round)) == nil }) {
						h.record(i, release, func() bool { return m.Unlock() == nil })
					}
				} else if h.record(i, acquireShared, func() bool { return m.RLockUntil(briefly(round+2)) == nil }) {
					h.record(i, releaseShared, func() bool { return m.RUnlock() == nil })
				}
			}
		})
		h.check(t, lockModel(1))
	})
}

func TestHistoriesOfSemaphoreAreThoseOfACounter(t *testing.T) {
	everywhere(t, func(t *testing.T, w world) {
		const room = 2
		s, h := w.semaphore(), history{start: time.Now()}
		ok(t, s.Release(room))
		together(clients, func(i int) {
			for round := range moves {
				var got bool
				if (i+round)%2 == 0 {
					got = h.record(i, tryHard, s.TryAcquire)
				} else {
					got = h.record(i, acquire, func() bool { return s.AcquireUntil(briefly(round)) == nil })
				}
				if got {
					h.record(i, release, func() bool { return s.Release(1) == nil })
				}
			}
		})
		h.check(t, lockModel(room))
	})
}

// A condition is a lock too: what goes on under it must be in order although all give it up in the middle.
func TestHistoriesUnderACondAreThoseOfALock(t *testing.T) {
	everywhere(t, func(t *testing.T, w world) {
		c, h := w.cond(), history{start: time.Now()}
		together(clients, func(i int) {
			for round := range moves / 2 {
				h.record(i, acquire, func() bool { return c.Lock() == nil })
				if (i+round)%2 == 0 {
					// The lock is free from some moment of the wait on, and taken again by its end.
					call := time.Since(h.start)
					var err error
					h.record(i, acquire, func() bool {
						err = c.WaitUntil(briefly(round + 1))
						return err == nil || err == futex.ErrTimeout
					})
					h.Lock()
					h.operations = append(h.operations, porcupine.Operation{
						ClientId: clients + i, Input: release, Call: int64(call), Output: outcome(true), Return: int64(time.Since(h.start)),
					})
					h.Unlock()
				} else if round%4 == 0 {
					ok(t, c.Broadcast())
				} else {
					ok(t, c.Signal())
				}
				h.record(i, release, func() bool { return c.Unlock() == nil })
			}
		})
		h.check(t, lockModel(1))
	})
}

// The model itself must be able to say no.
func TestTheModelRefusesTwoHolders(t *testing.T) {
	two := []porcupine.Operation{
		{ClientId: 0, Input: acquire, Call: 0, Output: outcome(true), Return: 1},
		{ClientId: 1, Input: acquire, Call: 2, Output: outcome(true), Return: 3},
	}
	if porcupine.CheckOperations(lockModel(1), two) {
		t.Error("two hold a lock for one")
	}
	between := porcupine.Operation{ClientId: 0, Input: release, Call: 1, Output: outcome(true), Return: 3}
	if !porcupine.CheckOperations(lockModel(1), slices.Insert(two, 1, between)) {
		t.Error("a lock that was given back cannot be taken")
	}
}
