package futex

import "fmt"

// WordOp is what WakeOp does to its second word, and what the word must have been for its waiters to be woken. It is
// built from a change and a condition:
//
//	futex.OpSet(0).If(futex.Greater, 1)
//
// The arguments of both have 12 bits and a sign: -2048 to 2047.
type WordOp struct {
	code    uint32 // as the kernel wants it
	invalid bool
}

// Comparison is a condition on the second word of a WakeOp, by the value it had before the change.
type Comparison uint8

// The comparisons are of signed 32-bit numbers.
const (
	Equal Comparison = iota
	NotEqual
	Less
	AtMost
	Greater
	AtLeast
)

const (
	changeSet = iota
	changeAdd
	changeOr
	changeAndNot
	changeXor
)

// OpSet sets the word to v.
func OpSet(v int) WordOp { return wordOp(changeSet, v) }

// OpAdd adds v to the word.
func OpAdd(v int) WordOp { return wordOp(changeAdd, v) }

// OpOr sets the bits of v in the word.
func OpOr(v int) WordOp { return wordOp(changeOr, v) }

// OpAndNot clears the bits of v in the word.
func OpAndNot(v int) WordOp { return wordOp(changeAndNot, v) }

// OpXor flips the bits of v in the word.
func OpXor(v int) WordOp { return wordOp(changeXor, v) }

// wordOp has the condition of a zero code, "the word was 0", until If replaces it.
func wordOp(change uint32, v int) WordOp {
	return WordOp{code: change<<28 | uint32(v)&0xfff<<12, invalid: !fits12(v)}
}

// If returns op with its condition: the waiters of the second word are woken only if it was, for instance, Greater than
// v before the change. Without an If the condition is that it was 0.
func (op WordOp) If(c Comparison, v int) WordOp {
	op.code = op.code&^0x0f000fff | uint32(c)&0xf<<24 | uint32(v)&0xfff
	op.invalid = op.invalid || !fits12(v) || c > AtLeast
	return op
}

func fits12(v int) bool { return -2048 <= v && v <= 2047 }

// apply returns what becomes of old, and whether the condition holds for it.
func (op WordOp) apply(old uint32) (now uint32, holds bool) {
	arg, with := signed12(op.code>>12), signed12(op.code)
	switch op.code >> 28 {
	case changeSet:
		now = uint32(arg)
	case changeAdd:
		now = old + uint32(arg)
	case changeOr:
		now = old | uint32(arg)
	case changeAndNot:
		now = old &^ uint32(arg)
	case changeXor:
		now = old ^ uint32(arg)
	}
	was := int32(old)
	switch Comparison(op.code >> 24 & 0xf) {
	case Equal:
		holds = was == with
	case NotEqual:
		holds = was != with
	case Less:
		holds = was < with
	case AtMost:
		holds = was <= with
	case Greater:
		holds = was > with
	case AtLeast:
		holds = was >= with
	}
	return now, holds
}

// signed12 extends the sign of the low 12 bits.
func signed12(v uint32) int32 { return int32(v<<20) >> 20 }

// WakeOp changes *second, wakes up to n of those who wait on first and, if the condition of op held for *second before the
// change, up to nSecond of those who wait on second, all in one system call. It returns how many it woke. (The C library
// once signalled a condition and unlocked its inner lock this way.)
//
// Where the kernel refuses it (FeatureWakeOp), it does the same in several steps.
func WakeOp(first, second *uint32, n, nSecond int, op WordOp, scope Scope) (woken int, err error) {
	if err := checkPair("wake-op", first, second); err != nil {
		return 0, err
	}
	if op.invalid {
		return 0, fmt.Errorf("futex: wake-op: an argument is not in -2048..2047, or the comparison is unknown")
	}
	return kernelWakeOp(onHeap(first), onHeap(second), min(n, WakeAll), min(nSecond, WakeAll), op, scope)
}
