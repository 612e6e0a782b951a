//go:build linux && !futexportable

package futex_test

import (
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"testing"
	"time"

	"greenthread/futex"
)

// In the suite for several processes, each of them does all of this at once, with the others.
const (
	processes  = 2
	goroutines = 3 // per process and primitive
)

func init() {
	roles["suite"] = func(l *lobby) error { return suite(l, suiteRounds()) }
}

func suiteRounds() int {
	if raceEnabled {
		return 60
	}
	return 300
}

// TestProcessesShareTheSuite runs it in this process and in children.
func TestProcessesShareTheSuite(t *testing.T) {
	for _, refusing := range []string{"", "all but wait and wake,38", "robust,1"} {
		t.Run("refusing "+strconv.Quote(refusing), func(t *testing.T) {
			watchdog(t)
			l, file := newLobby(t)
			if err := l.semaphore.Release(2); err != nil {
				t.Fatal(err)
			}
			other := cast(t, "suite", refusing, file)
			if err := suite(l, suiteRounds()); err != nil {
				t.Error(err)
			}
			other.join(t)
			each := int64(suiteRounds() * goroutines * processes)
			if l.first.Load() != each || l.second.Load() != each {
				t.Errorf("mutex: %d and %d increments, want %d", l.first.Load(), l.second.Load(), each)
			}
			if l.done.Load() != 1 {
				t.Errorf("once: done %d times", l.done.Load())
			}
			if l.semaphore.Permits() != 2 {
				t.Errorf("semaphore: %d permits are left", l.semaphore.Permits())
			}
			if l.place.Load() != 0 {
				t.Errorf("cond: %d is left", l.place.Load())
			}
		})
	}
}

// suite is one process's part. It starts when all processes are there.
func suite(l *lobby, rounds int) error {
	if _, err := l.barrier.Wait(processes); err != nil {
		return err
	}
	var parts []func() error
	for range goroutines {
		parts = append(parts, func() error { return countUp(l, rounds) }, func() error { return readAndWrite(l, rounds) },
			func() error { return visit(l, rounds) })
	}
	parts = append(parts, func() error { return produce(l, rounds) }, func() error { return consume(l, rounds) })
	errs := make(chan error, len(parts))
	for _, part := range parts {
		go func() { errs <- part() }()
	}
	var all error
	for range parts {
		all = errors.Join(all, <-errs)
	}
	for round := range rounds {
		last, err := l.barrier.Wait(processes)
		if err != nil {
			return err
		}
		if last && round == rounds/2 {
			all = errors.Join(all, l.event.Set())
		}
	}
	return errors.Join(all, l.event.Wait(), l.once.Do(func() { l.done.Add(1) }))
}

func countUp(l *lobby, rounds int) error {
	for i := range rounds {
		var err error
		if i%3 == 0 {
			for err = futex.ErrTimeout; err == futex.ErrTimeout; {
				err = l.mutex.LockUntil(futex.After(100 * time.Microsecond))
			}
		} else {
			err = l.mutex.Lock()
		}
		if err != nil {
			return fmt.Errorf("mutex: %w", err)
		}
		if l.first.Add(1) != l.second.Add(1) {
			return errors.New("mutex: two are inside")
		}
		if err := l.mutex.Unlock(); err != nil {
			return fmt.Errorf("mutex: %w", err)
		}
	}
	return nil
}

func readAndWrite(l *lobby, rounds int) error {
	for i := range rounds {
		if i%5 == 0 {
			if err := l.rw.Lock(); err != nil {
				return fmt.Errorf("rwmutex: %w", err)
			}
			if l.writers.Add(1) != 1 || l.readers.Load() != 0 {
				return errors.New("rwmutex: a writer is not alone")
			}
			l.writers.Add(-1)
			if err := l.rw.Unlock(); err != nil {
				return fmt.Errorf("rwmutex: %w", err)
			}
			continue
		}
		if err := l.rw.RLock(); err != nil {
			return fmt.Errorf("rwmutex: %w", err)
		}
		l.readers.Add(1)
		if l.writers.Load() != 0 {
			return errors.New("rwmutex: a reader meets a writer")
		}
		l.readers.Add(-1)
		if err := l.rw.RUnlock(); err != nil {
			return fmt.Errorf("rwmutex: %w", err)
		}
	}
	return nil
}

func visit(l *lobby, rounds int) error {
	for range rounds {
		if err := l.semaphore.Acquire(); err != nil {
			return fmt.Errorf("semaphore: %w", err)
		}
		if n := l.guests.Add(1); n > 2 {
			return fmt.Errorf("semaphore: %d guests", n)
		}
		runtime.Gosched()
		l.guests.Add(-1)
		if err := l.semaphore.Release(1); err != nil {
			return fmt.Errorf("semaphore: %w", err)
		}
	}
	return nil
}

// produce and consume hand over one thing at a time, all by one condition: so each broadcast is for one of many.
func produce(l *lobby, rounds int) error {
	return handOver(l, rounds, func() bool { return l.place.CompareAndSwap(0, 1) })
}

func consume(l *lobby, rounds int) error {
	return handOver(l, rounds, func() bool { return l.place.CompareAndSwap(1, 0) })
}

func handOver(l *lobby, rounds int, do func() bool) error {
	for range rounds {
		if err := l.mutex.Lock(); err != nil {
			return fmt.Errorf("cond: %w", err)
		}
		for !do() {
			if err := l.cond.Wait(&l.mutex); err != nil {
				return fmt.Errorf("cond: %w", err)
			}
		}
		if err := errors.Join(l.cond.Broadcast(&l.mutex), l.mutex.Unlock()); err != nil {
			return fmt.Errorf("cond: %w", err)
		}
	}
	return nil
}
