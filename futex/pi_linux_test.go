package futex_test

import (
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"greenthread/futex"
)

// withPI runs the test where the kernel has such locks, and else sees to it that they are refused in words.
func withPI(t *testing.T, feature futex.Feature, test func(t *testing.T, scope futex.Scope)) {
	onEachScope(t, func(t *testing.T, scope futex.Scope) {
		if feature.Available() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			test(t, scope)
			return
		}
		words := new([2]uint32)
		errs := []error{futex.WaitRequeuePI(&words[0], 0, &words[1], 0, scope)}
		_, err := futex.CmpRequeuePI(&words[0], &words[1], 0, 1, scope)
		errs = append(errs, err)
		if !futex.FeaturePI.Available() {
			_, err := futex.TryLockPI(&words[0], scope)
			errs = append(errs, err, futex.LockPI(&words[0], 0, scope), futex.UnlockPI(&words[0], scope))
		}
		for _, err := range errs {
			if !errors.Is(err, errors.ErrUnsupported) {
				t.Errorf("got %v", err)
			}
		}
	})
}

func TestPILockExcludesAndTimesOut(t *testing.T) {
	withPI(t, futex.FeaturePI, func(t *testing.T, scope futex.Scope) {
		lock := new(uint32)
		if err := futex.LockPI(lock, futex.Never, scope); err != nil {
			t.Fatal(err)
		}
		if owner := atomic.LoadUint32(lock) & futex.TIDMask; owner != uint32(unix.Gettid()) {
			t.Errorf("the word names %d", owner)
		}
		if ok, err := futex.TryLockPI(lock, scope); ok || err != nil {
			t.Errorf("locked twice: %v, %v", ok, err)
		}
		if err := futex.LockPI(lock, futex.Never, scope); !errors.Is(err, unix.EDEADLK) {
			t.Errorf("locked twice: %v", err)
		}
		other := make(chan struct{})
		go func() {
			defer close(other)
			if ok, err := futex.TryLockPI(lock, scope); ok || err != nil {
				t.Errorf("got %v, %v", ok, err)
			}
			if err := futex.UnlockPI(lock, scope); !errors.Is(err, unix.EPERM) {
				t.Errorf("another thread unlocked it: %v", err)
			}
			underFire(func() {
				deadline := futex.After(20 * time.Millisecond)
				if err := futex.LockPI(lock, deadline, scope); err != futex.ErrTimeout || !deadline.Passed() {
					t.Errorf("got %v, %v early", err, deadline.Until())
				}
			})
		}()
		<-other
		if err := futex.UnlockPI(lock, scope); err != nil {
			t.Error(err)
		}
		if ok, err := futex.TryLockPI(lock, scope); !ok || err != nil {
			t.Errorf("a free lock: %v, %v", ok, err)
		}
		futex.UnlockPI(lock, scope)
	})
}

func TestPILockIsHandedToAWaiter(t *testing.T) {
	withPI(t, futex.FeaturePI, func(t *testing.T, scope futex.Scope) {
		lock := new(uint32)
		if err := futex.LockPI(lock, futex.Never, scope); err != nil {
			t.Fatal(err)
		}
		c := asleepOn(t, lock, 3, func(int) error {
			if err := futex.LockPI(lock, futex.After(time.Minute), scope); err != nil {
				return err
			}
			return futex.UnlockPI(lock, scope)
		})
		if atomic.LoadUint32(lock)&futex.Waiters == 0 {
			t.Error("nobody waits")
		}
		if err := futex.UnlockPI(lock, scope); err != nil {
			t.Error(err)
		}
		c.all.Wait()
		if word := atomic.LoadUint32(lock); word != 0 {
			t.Errorf("at the end it is %#x", word)
		}
	})
}

func TestRequeuePIHandsTheLockOver(t *testing.T) {
	withPI(t, futex.FeatureRequeuePI, func(t *testing.T, scope futex.Scope) {
		words := new([2]uint32)
		cond, lock := &words[0], &words[1]
		c := asleepOn(t, cond, 3, func(int) error {
			if err := futex.WaitRequeuePI(cond, 0, lock, futex.Never, scope); err != nil {
				return err
			}
			if owner := atomic.LoadUint32(lock) & futex.TIDMask; owner != uint32(unix.Gettid()) {
				t.Errorf("the lock belongs to %d", owner)
			}
			return futex.UnlockPI(lock, scope)
		})
		if _, err := futex.CmpRequeuePI(cond, lock, 1, futex.WakeAll, scope); err != futex.ErrChanged {
			t.Errorf("another value: %v", err)
		}
		if n, err := futex.CmpRequeuePI(cond, lock, 0, futex.WakeAll, scope); n != 3 || err != nil {
			t.Errorf("moved %d, %v", n, err)
		}
		c.all.Wait()
	})
}

func TestRequeuePIWaitEndsWithoutTheLock(t *testing.T) {
	withPI(t, futex.FeatureRequeuePI, func(t *testing.T, scope futex.Scope) {
		words := new([2]uint32)
		if err := futex.WaitRequeuePI(&words[0], 1, &words[1], futex.Never, scope); err != futex.ErrChanged {
			t.Errorf("another value: %v", err)
		}
		underFire(func() {
			deadline := futex.After(20 * time.Millisecond)
			err := futex.ErrChanged
			for err == futex.ErrChanged {
				err = futex.WaitRequeuePI(&words[0], 0, &words[1], deadline, scope)
			}
			if err != futex.ErrTimeout || !deadline.Passed() {
				t.Errorf("got %v, %v early", err, deadline.Until())
			}
		})
		if words[1] != 0 {
			t.Error("the lock is held")
		}
	})
}
