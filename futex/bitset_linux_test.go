package futex_test

import (
	"sync/atomic"
	"testing"
	"time"

	"greenthread/futex"
)

func TestBitsetWakesOnlyWhoHasABitInCommon(t *testing.T) {
	onEachScope(t, func(t *testing.T, scope futex.Scope) {
		word := new(uint32)
		masks := []uint32{1, 2, 4 | 1<<31}
		c := asleepOn(t, word, len(masks), func(i int) error {
			return futex.WaitBitset(word, 0, masks[i], futex.Never, scope)
		})
		atomic.StoreUint32(word, 1)
		if !futex.FeatureBitset.Available() { // all hear it
			if n, err := futex.WakeBitset(word, 1, 2, scope); n != 3 || err != nil {
				t.Errorf("woke %d, %v", n, err)
			}
			c.all.Wait()
			return
		}
		if n, err := futex.WakeBitset(word, futex.WakeAll, 8, scope); n != 0 || err != nil {
			t.Errorf("a bit nobody waits for woke %d, %v", n, err)
		}
		for _, want := range []int{1, 2, 0} {
			if n, err := futex.WakeBitset(word, futex.WakeAll, masks[want], scope); n != 1 || err != nil {
				t.Errorf("woke %d, %v", n, err)
			}
			if got := c.back(1)[0]; got != want {
				t.Errorf("the bits of %d woke %d", want, got)
			}
		}
		c.all.Wait()
	})
}

func TestAPlainWakeMeansEveryBit(t *testing.T) {
	onEachScope(t, func(t *testing.T, scope futex.Scope) {
		word := new(uint32)
		c := asleepOn(t, word, 1, func(int) error { return futex.WaitBitset(word, 0, 64, futex.Never, scope) })
		if n, err := futex.Wake(word, 1, scope); n != 1 || err != nil {
			t.Errorf("woke %d, %v", n, err)
		}
		c.all.Wait()
	})
}

func TestBitsetDeadlineAndBadBits(t *testing.T) {
	onEachScope(t, func(t *testing.T, scope futex.Scope) {
		word := new(uint32)
		deadline := futex.After(2 * time.Millisecond)
		var err error
		for err == nil {
			err = futex.WaitBitset(word, 0, 1, deadline, scope)
		}
		if err != futex.ErrTimeout || !deadline.Passed() {
			t.Errorf("got %v", err)
		}
		if futex.WaitBitset(word, 0, 0, 0, scope) == nil {
			t.Error("a wait for no bit was accepted")
		}
		if _, err := futex.WakeBitset(word, 1, 0, scope); err == nil {
			t.Error("a wake of no bit was accepted")
		}
		if n, err := futex.WakeBitset(word, 0, 1, scope); n != 0 || err != nil {
			t.Errorf("a wake of none: %d, %v", n, err)
		}
	})
}
