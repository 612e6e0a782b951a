package futex_test

import (
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"greenthread/futex"
)

// The kernel and its stand-in must agree on every operation, argument, comparison and word.
func TestWakeOpDoesWhatItsStandInDoes(t *testing.T) {
	watchdog(t)
	changes := []func(int) futex.WordOp{futex.OpSet, futex.OpAdd, futex.OpOr, futex.OpAndNot, futex.OpXor}
	rapid.Check(t, func(t *rapid.T) {
		argument := rapid.OneOf(rapid.IntRange(-2048, 2047), rapid.SampledFrom([]int{-2048, -1, 0, 1, 2047}))
		op := rapid.SampledFrom(changes).Draw(t, "change")(argument.Draw(t, "argument"))
		with := argument.Draw(t, "with")
		if rapid.Bool().Draw(t, "conditional") {
			op = op.If(futex.Comparison(rapid.IntRange(0, 5).Draw(t, "comparison")), with)
		}
		old := rapid.OneOf(rapid.Uint32(), rapid.Just(uint32(with)), rapid.Just(uint32(0))).Draw(t, "old")
		scope := rapid.SampledFrom(scopes).Draw(t, "scope")

		first, second := new(uint32), new(uint32)
		*second = old
		if n, err := futex.WakeOp(first, second, 1, 1, op, scope); n != 0 || err != nil {
			t.Fatalf("woke %d, %v", n, err)
		}
		if want, _ := futex.Apply(op, old); *second != want {
			t.Fatalf("%#x became %#x, the stand-in says %#x", old, *second, want)
		}
	})
}

func TestWakeOpWakesByItsCondition(t *testing.T) {
	onEachScope(t, func(t *testing.T, scope futex.Scope) {
		for _, c := range []struct {
			cmp  futex.Comparison
			with int
			want bool
		}{
			{futex.Equal, 5, true}, {futex.Equal, 4, false}, {futex.NotEqual, 4, true}, {futex.NotEqual, 5, false},
			{futex.Less, 6, true}, {futex.Less, 5, false}, {futex.AtMost, 5, true}, {futex.AtMost, 4, false},
			{futex.Greater, -1, true}, {futex.Greater, 5, false}, {futex.AtLeast, 5, true}, {futex.AtLeast, 6, false},
		} {
			words := new([2]uint32)
			words[1] = 5
			first := asleepOn(t, &words[0], 1, func(int) error { return futex.Wait(&words[0], 0, scope) })
			second := asleepOn(t, &words[1], 1, func(int) error { return futex.Wait(&words[1], 5, scope) })
			woken, err := futex.WakeOp(&words[0], &words[1], 1, 1, futex.OpAdd(-2).If(c.cmp, c.with), scope)
			want := 1
			if c.want {
				want = 2
			}
			if woken != want || err != nil || atomic.LoadUint32(&words[1]) != 3 {
				t.Errorf("%+v: woke %d, %v; the word is %d", c, woken, err, words[1])
			}
			futex.Wake(&words[1], 1, scope)
			first.all.Wait()
			second.all.Wait()
		}
	})
}

func TestWakeOpOfNobodyStillChangesTheWord(t *testing.T) {
	onEachScope(t, func(t *testing.T, scope futex.Scope) {
		words := new([2]uint32)
		c := asleepOn(t, &words[0], 1, func(int) error { return futex.Wait(&words[0], 0, scope) })
		if n, err := futex.WakeOp(&words[0], &words[1], 0, 0, futex.OpSet(7), scope); n != 0 || err != nil || words[1] != 7 {
			t.Errorf("woke %d, %v; the word is %d", n, err, words[1])
		}
		futex.Wake(&words[0], 1, scope)
		c.all.Wait()
	})
}

func TestWakeOpRefusesWhatTheKernelCannotHold(t *testing.T) {
	words := new([2]uint32)
	for _, op := range []futex.WordOp{
		futex.OpSet(2048), futex.OpAdd(-2049), futex.OpOr(1).If(futex.Equal, 4096), futex.OpXor(1).If(6, 0),
	} {
		if _, err := futex.WakeOp(&words[0], &words[1], 1, 1, op, futex.Private); err == nil {
			t.Error("it was accepted")
		}
	}
}
