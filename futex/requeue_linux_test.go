package futex_test

import (
	"errors"
	"testing"

	"greenthread/futex"
)

func TestRequeueMovesSleepers(t *testing.T) {
	onEachScope(t, func(t *testing.T, scope futex.Scope) {
		for name, requeue := range map[string]func(from, to *uint32) (int, error){
			"Requeue":    func(from, to *uint32) (int, error) { return futex.Requeue(from, to, 1, 2, scope) },
			"CmpRequeue": func(from, to *uint32) (int, error) { return futex.CmpRequeue(from, to, 0, 1, 2, scope) },
		} {
			words := new([2]uint32)
			from, to := &words[0], &words[1]
			c := asleepOn(t, from, 4, func(int) error { return futex.Wait(from, 0, scope) })
			if n, err := requeue(from, to); n != 3 || err != nil {
				t.Errorf("%s: woke or moved %d, %v", name, n, err)
			}
			wakes := []struct {
				word *uint32
				want int
			}{{from, 1}, {to, 2}}
			if !futex.FeatureRequeue.Available() { // those who would have been moved are awake
				wakes[1].want = 0
			}
			for _, w := range wakes {
				if n, err := futex.Wake(w.word, futex.WakeAll, scope); n != w.want || err != nil {
					t.Errorf("%s: then woke %d, %v, want %d", name, n, err, w.want)
				}
			}
			c.all.Wait()
		}
	})
}

func TestCmpRequeueLooksFirst(t *testing.T) {
	onEachScope(t, func(t *testing.T, scope futex.Scope) {
		words := new([2]uint32)
		c := asleepOn(t, &words[0], 1, func(int) error { return futex.Wait(&words[0], 0, scope) })
		if n, err := futex.CmpRequeue(&words[0], &words[1], 1, 1, 1, scope); n != 0 || err != futex.ErrChanged {
			t.Errorf("got %d, %v", n, err)
		}
		if n, err := futex.CmpRequeue(&words[0], &words[1], 0, 0, 0, scope); n != 0 || err != nil {
			t.Errorf("nobody was to be moved: %d, %v", n, err)
		}
		if n, err := futex.Requeue(&words[0], &words[1], 5, -1, scope); n != 1 || err != nil {
			t.Errorf("got %d, %v", n, err)
		}
		c.all.Wait()
	})
}

func TestTwoWordsAreWanted(t *testing.T) {
	word := new(uint32)
	_, requeue := futex.Requeue(word, word, 1, 1, futex.Private)
	_, wakeOp := futex.WakeOp(word, nil, 1, 1, futex.OpSet(0), futex.Private)
	_, moved := futex.CmpRequeuePI(word, word, 0, 1, futex.Private)
	for _, err := range []error{requeue, wakeOp, moved, futex.WaitRequeuePI(nil, 0, word, 0, futex.Private)} {
		if !errors.Is(err, futex.ErrAddress) {
			t.Errorf("got %v", err)
		}
	}
}
