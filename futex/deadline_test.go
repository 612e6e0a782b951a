package futex_test

import (
	"math"
	"sort"
	"testing"
	"time"

	"greenthread/futex"
)

func TestDeadlinesAreOrdered(t *testing.T) {
	before, now, after := futex.After(-time.Minute), futex.Now(), futex.After(time.Minute)
	if !(0 < now && before < now && now < after && after < futex.Never) {
		t.Error(before, now, after)
	}
	if !before.Passed() || after.Passed() || futex.Never.Passed() || !futex.Deadline(0).Passed() {
		t.Error("Passed")
	}
	if d := after.Until(); d <= 0 || d > time.Minute {
		t.Error("Until", d)
	}
	all := []futex.Deadline{after, futex.Never, before}
	sort.Slice(all, func(i, j int) bool { return all[i] < all[j] })
	if all[0] != before || all[2] != futex.Never {
		t.Error(all)
	}
}

func TestDeadlinesDoNotOverflow(t *testing.T) {
	for _, c := range []struct{ got, want futex.Deadline }{
		{futex.After(math.MaxInt64), futex.Never},
		{futex.Never.Add(-time.Hour), futex.Never},
		{futex.Deadline(-5).Add(math.MinInt64), math.MinInt64},
		{futex.Deadline(5).Add(-7), -2},
		{futex.Deadline(-5).Add(7), 2},
	} {
		if c.got != c.want {
			t.Errorf("got %d, want %d", c.got, c.want)
		}
	}
	if d := futex.Never.Until(); d != math.MaxInt64 {
		t.Error(d)
	}
	if d := futex.Deadline(math.MinInt64).Until(); d != math.MinInt64 {
		t.Error(d)
	}
	if !futex.Deadline(math.MinInt64).Passed() {
		t.Error("the earliest Deadline has not passed")
	}
}

func TestAtFollowsATime(t *testing.T) {
	if futex.At(time.Time{}) != futex.Never {
		t.Error("the zero Time is no deadline")
	}
	soon := futex.At(time.Now().Add(time.Minute))
	if d := soon.Until(); d > time.Minute || d < 50*time.Second {
		t.Error(d)
	}
	if !futex.At(time.Now()).Passed() || !futex.At(time.Now().Round(0).Add(-time.Second)).Passed() {
		t.Error("a Time that has come has passed")
	}
}
