//go:build linux && !futexportable

package futex_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"greenthread/futex"
)

func init() {
	still := func(l *lobby, err error) error {
		if err != nil {
			return err
		}
		l.ready.Add(1)
		sleepTillKilled()
		return nil
	}
	roles["hold"] = func(l *lobby) error { return still(l, l.mutex.Lock()) }
	roles["read"] = func(l *lobby) error { return still(l, errors.Join(l.rw.RLock(), l.rw.RLock())) }
	roles["write"] = func(l *lobby) error { return still(l, l.rw.Lock()) }
	roles["do"] = func(l *lobby) error { return l.once.Do(func() { still(l, nil) }) }
	roles["hold many"] = func(l *lobby) error {
		if err := l.rw.RLock(); err != nil {
			return err
		}
		for range 5000 { // more than the kernel would walk in one list
			if err := inArena[futex.SharedMutex]().Lock(); err != nil {
				return err
			}
		}
		return still(l, l.mutex.Lock())
	}
	roles["wait"] = func(l *lobby) error {
		l.ready.Add(1)
		return l.mutex.Lock()
	}
	roles["toil"] = toil
}

// sleepTillKilled is not an endless select, which Go would report as a deadlock, and end the process by itself.
func sleepTillKilled() { time.Sleep(time.Hour) }

// whileItLives starts a child in a role, kills it when it is ready, and has those who waited before that go on.
func whileItLives(t *testing.T, l *lobby, file *os.File, role, refusing string, before func()) {
	t.Helper()
	ready := l.ready.Load()
	c := cast(t, role, refusing, file)
	eventually(func() bool { return l.ready.Load() > ready })
	before()
	c.kill()
}

// forEachDetection runs the test with the kernel's help, and without.
func forEachDetection(t *testing.T, test func(t *testing.T, refusing string)) {
	for _, refusing := range []string{"", "robust,1"} {
		name := "by the kernel"
		if refusing != "" {
			name = "by looking"
		}
		t.Run(name, func(t *testing.T) {
			watchdog(t)
			test(t, refusing)
		})
	}
}

func TestTheDeathOfAnOwnerIsReportedOnce(t *testing.T) {
	forEachDetection(t, func(t *testing.T, refusing string) {
		l, file := newLobby(t)
		for _, waitingBefore := range []bool{false, true} {
			result := make(chan error, 1)
			var died time.Time
			whileItLives(t, l, file, "hold", refusing, func() {
				if got, err := l.mutex.TryLock(); got || err != nil {
					t.Errorf("TryLock: %v, %v", got, err)
				}
				if err := l.mutex.Unlock(); err != futex.ErrNotOwner {
					t.Errorf("Unlock of another's: %v", err)
				}
				if waitingBefore {
					go func() { result <- l.mutex.LockUntil(futex.After(time.Minute)) }()
					time.Sleep(5 * time.Millisecond)
				}
				died = time.Now()
			})
			if !waitingBefore {
				result <- l.mutex.Lock()
			}
			if err := <-result; err != futex.ErrOwnerDied {
				t.Fatalf("got %v", err)
			}
			t.Logf("found %v after the kill", time.Since(died))
			l.mutex.MarkConsistent()
			ok(t, l.mutex.Unlock())
			ok(t, l.mutex.Lock())
			ok(t, l.mutex.Unlock())
		}
	})
}

func TestWhatIsNotRepairedIsGivenUp(t *testing.T) {
	watchdog(t)
	l, file := newLobby(t)
	whileItLives(t, l, file, "hold", "", func() {})
	got, err := l.mutex.TryLock()
	if !futex.FeatureRobust.Available() { // then only those who wait look
		got, err = true, l.mutex.Lock()
	}
	if !got || err != futex.ErrOwnerDied {
		t.Fatalf("got %v, %v", got, err)
	}
	waiting := make(chan error, 2)
	for range 2 {
		go func() { waiting <- l.mutex.Lock() }()
	}
	time.Sleep(5 * time.Millisecond)
	ok(t, l.mutex.Unlock()) // without MarkConsistent
	for range 2 {
		if err := <-waiting; err != futex.ErrNotRecoverable {
			t.Errorf("got %v", err)
		}
	}
	if got, err := l.mutex.TryLock(); got || err != futex.ErrNotRecoverable {
		t.Errorf("got %v, %v", got, err)
	}
}

// The second owner dies as well, before it has repaired anything.
func TestDeathAfterDeathIsReported(t *testing.T) {
	watchdog(t)
	l, file := newLobby(t)
	roles := []string{"hold", "hold after death"}
	for _, role := range roles {
		whileItLives(t, l, file, role, "", func() {})
	}
	if err := l.mutex.Lock(); err != futex.ErrOwnerDied {
		t.Errorf("got %v", err)
	}
}

func init() {
	roles["hold after death"] = func(l *lobby) error {
		if err := l.mutex.Lock(); err != futex.ErrOwnerDied {
			return err
		}
		l.ready.Add(1)
		sleepTillKilled()
		return nil
	}
}

func TestADeadReaderDoesNoHarm(t *testing.T) {
	forEachDetection(t, func(t *testing.T, refusing string) {
		l, file := newLobby(t)
		whileItLives(t, l, file, "read", refusing, func() {
			if err := l.rw.LockUntil(futex.After(2 * time.Millisecond)); err != futex.ErrTimeout {
				t.Errorf("beside a reader: %v", err)
			}
			ok(t, l.rw.RLock())
			ok(t, l.rw.RUnlock())
		})
		ok(t, l.rw.Lock())
		ok(t, l.rw.Unlock())
	})
}

func TestADeadWriterIsReportedUntilRepaired(t *testing.T) {
	forEachDetection(t, func(t *testing.T, refusing string) {
		l, file := newLobby(t)
		whileItLives(t, l, file, "write", refusing, func() {
			if err := l.rw.Unlock(); err != futex.ErrNotOwner {
				t.Errorf("Unlock of another's: %v", err)
			}
			if err := l.rw.RUnlock(); err != futex.ErrNotOwner {
				t.Errorf("RUnlock of nothing: %v", err)
			}
		})
		if err := l.rw.RLock(); err != futex.ErrOwnerDied {
			t.Errorf("RLock: %v", err)
		}
		for range 2 {
			if err := l.rw.Lock(); err != futex.ErrOwnerDied {
				t.Errorf("Lock: %v", err)
			}
			ok(t, l.rw.Unlock()) // not repaired
		}
		if got, err := l.rw.TryLock(); !got || err != futex.ErrOwnerDied {
			t.Errorf("TryLock: %v, %v", got, err)
		}
		l.rw.MarkConsistent()
		ok(t, l.rw.Unlock())
		ok(t, l.rw.RLock())
		ok(t, l.rw.RUnlock())
	})
}

func TestWhatADeadProcessBeganIsDoneAgain(t *testing.T) {
	forEachDetection(t, func(t *testing.T, refusing string) {
		l, file := newLobby(t)
		whileItLives(t, l, file, "do", refusing, func() {})
		done := 0
		ok(t, l.once.Do(func() { done++ }))
		ok(t, l.once.Do(func() { done++ }))
		if done != 1 {
			t.Errorf("done %d times", done)
		}
	})
}

func TestThousandsOfLocksAreNotForgotten(t *testing.T) {
	watchdog(t)
	l, file := newLobby(t)
	whileItLives(t, l, file, "hold many", "", func() {})
	if err := l.mutex.LockUntil(futex.After(10 * time.Second)); err != futex.ErrOwnerDied {
		t.Errorf("the last lock: %v", err)
	}
	ok(t, l.rw.LockUntil(futex.After(10*time.Second))) // the first
}

func TestADeadWaiterIsNotMissed(t *testing.T) {
	watchdog(t)
	l, file := newLobby(t)
	ok(t, l.mutex.Lock())
	for range 3 {
		whileItLives(t, l, file, "wait", "", func() { time.Sleep(2 * time.Millisecond) })
	}
	ok(t, l.mutex.Unlock())
	ok(t, l.mutex.Lock())
	ok(t, l.mutex.Unlock())
}

// toil locks, waits and wakes without end. Two counters tell whether the last owner died in the middle: only then may they differ.
func toil(l *lobby) error {
	l.ready.Add(1)
	work := func(waits bool) error {
		for l.stop.Load() == 0 {
			err := l.mutex.Lock()
			if err == futex.ErrOwnerDied {
				l.second.Store(l.first.Load())
				l.mutex.MarkConsistent()
			} else if err != nil {
				return err
			}
			if l.first.Load() != l.second.Load() {
				return errors.New("the lock was given to two, or a death was not reported")
			}
			l.first.Add(1)
			for range rand.IntN(100) { // a moment in which the two differ
				l.progress.Add(0)
			}
			l.second.Add(1)
			l.progress.Add(1)
			if waits {
				err := l.cond.WaitUntil(&l.mutex, futex.After(time.Millisecond))
				if errors.Is(err, futex.ErrOwnerDied) {
					l.second.Store(l.first.Load())
					l.mutex.MarkConsistent()
				} else if err != nil && err != futex.ErrTimeout {
					return err
				}
			} else if err := l.cond.Broadcast(&l.mutex); err != nil {
				return err
			}
			if err := l.mutex.Unlock(); err != nil {
				return err
			}
		}
		return nil
	}
	errs := make(chan error)
	go func() { errs <- work(true) }()
	go func() { errs <- work(true) }()
	go func() { errs <- work(false) }()
	return errors.Join(<-errs, <-errs, <-errs)
}

// Processes are killed at any moment: while they hold, wait and wake. After each death the others go on.
func TestSurvivorsGoOn(t *testing.T) {
	forEachDetection(t, func(t *testing.T, refusing string) {
		l, file := newLobby(t)
		crew := make([]*child, 3)
		for i := range crew {
			crew[i] = cast(t, "toil", refusing, file)
		}
		kills := rounds(60)
		if refusing != "" || !futex.FeatureRobust.Available() { // here a death takes a while to be found
			kills = rounds(10)
		}
		var slowest time.Duration
		for n := range kills {
			ready := l.ready.Load()
			time.Sleep(time.Duration(rand.IntN(3000)) * time.Microsecond)
			i := n % len(crew)
			crew[i].kill()
			start, seen := time.Now(), l.progress.Load()
			for l.progress.Load() < seen+10 {
				time.Sleep(100 * time.Microsecond)
				if time.Since(start) > 10*time.Second {
					t.Fatalf("nobody goes on after kill %d", n)
				}
			}
			slowest = max(slowest, time.Since(start))
			crew[i] = cast(t, "toil", refusing, file)
			eventually(func() bool { return l.ready.Load() > ready })
		}
		l.stop.Store(1)
		for _, c := range crew {
			c.join(t)
		}
		t.Logf("%d kills, %d rounds; the longest standstill was %v", kills, l.progress.Load(), slowest)
	})
}
