package futex_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"greenthread/futex"
)

func TestWaitAnyHearsEachOfItsWords(t *testing.T) {
	onEachScope(t, func(t *testing.T, scope futex.Scope) {
		for _, n := range []int{1, 2, 5, futex.MaxWords} {
			memory := make([]uint32, n)
			words := make([]futex.Word, n)
			for i := range words {
				words[i] = futex.Word{Addr: &memory[i], Scope: scope}
			}
			if n > 1 {
				words[0].Scope = 1 - scope // they may differ
			}
			for _, which := range []int{0, n / 2, n - 1} {
				woken := make(chan int)
				go func() {
					for {
						i, err := futex.WaitAny(words, futex.Never)
						if err != nil {
							t.Error(err)
						}
						if err != nil || i >= 0 && atomic.LoadUint32(words[i].Addr) != 0 {
							woken <- i
							return
						}
					}
				}()
				time.Sleep(time.Millisecond) // it may sleep, or not yet
				atomic.StoreUint32(&memory[which], 1)
				futex.Wake(&memory[which], 1, words[which].Scope)
				if got := <-woken; got != which {
					t.Errorf("%d words: word %d was woken, got %d", n, which, got)
				}
				atomic.StoreUint32(&memory[which], 0)
			}
		}
	})
}

func TestWaitAnyNamesAWordThatHasChanged(t *testing.T) {
	onEachScope(t, func(t *testing.T, scope futex.Scope) {
		memory := [3]uint32{0, 0, 9}
		words := []futex.Word{{&memory[0], 0, scope}, {&memory[1], 0, scope}, {&memory[2], 8, scope}}
		if i, err := futex.WaitAny(words, 0); i != 2 || err != nil {
			t.Errorf("got %d, %v", i, err)
		}
	})
}

func TestWaitAnyKeepsToItsDeadlineUnderSignals(t *testing.T) {
	onEachScope(t, func(t *testing.T, scope futex.Scope) {
		memory := new([2]uint32)
		words := []futex.Word{{&memory[0], 0, scope}, {&memory[1], 0, scope}}
		underFire(func() {
			for _, d := range []time.Duration{-time.Second, 0, 30 * time.Millisecond} {
				deadline := futex.After(d)
				i, err := futex.WaitAny(words, deadline)
				if i != -1 || err != futex.ErrTimeout || !deadline.Passed() {
					t.Errorf("%v: got %d, %v, %v early", d, i, err, deadline.Until())
				}
			}
		})
	})
}

func TestWaitAnyRefusesTooManyTooFewAndBadWords(t *testing.T) {
	for _, words := range [][]futex.Word{nil, make([]futex.Word, futex.MaxWords+1), {{}}} {
		if i, err := futex.WaitAny(words, 0); i != -1 || err == nil {
			t.Errorf("%d words: got %d, %v", len(words), i, err)
		}
	}
	if _, err := futex.WaitAny([]futex.Word{{}}, 0); !errors.Is(err, futex.ErrAddress) {
		t.Errorf("got %v", err)
	}
}
