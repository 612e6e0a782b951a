package runtime

import (
	"errors"
	"os"
	"strings"
	"testing"
)

func TestRemainingShrinksAsTheStackIsUsed(t *testing.T) {
	if _, ok := Remaining(); ok {
		t.Error("an ordinary goroutine claims to know what remains of its stack")
	}
	needsNative(t)
	var outer, inner, back int
	err := Do(func() {
		outer, _ = Remaining()
		var frame [8 << 10]byte
		inner = remainingBelow(&frame)
		back, _ = Remaining()
	}, WithStackSize(64<<10))
	if err != nil {
		t.Fatal(err)
	}
	if outer <= inner || outer-inner < 1<<10 || outer != back {
		t.Errorf("remaining: %d outside, %d inside, %d outside again", outer, inner, back)
	}
	if outer <= 0 || outer > 64<<10 {
		t.Errorf("%d bytes remain of 64 KiB", outer)
	}
}

//go:noinline
func remainingBelow(frame *[8 << 10]byte) int {
	local := *frame
	n, _ := Remaining()
	return n + int(local[n&1])
}

//go:noinline
func touch(levels int) byte {
	var frame [4 << 10]byte
	if levels > 0 {
		frame[0] = touch(levels - 1)
	}
	return frame[levels&1]
}

func TestHighWaterIsWhatTheBodyHasTouched(t *testing.T) {
	c := NewCoroutine(func(y Yielder[int, int], in int) int {
		for {
			touch(in)
			in = y.Yield(in)
		}
	}, WithStackSize(1<<20))
	if _, err := c.HighWater(); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("before the start: %v", err)
	}
	if _, err := c.Resume(1); err != nil {
		t.Fatal(err)
	}
	if !Backend().Native {
		if _, err := c.HighWater(); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("on the portable backend: %v", err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		return
	}
	low, err := c.HighWater()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Resume(100); err != nil {
		t.Fatal(err)
	}
	high, err := c.HighWater()
	if err != nil {
		t.Fatal(err)
	}
	if high < 400<<10 || high > 1<<20 || low >= high {
		t.Errorf("high water %d after 1 level of 4 KiB, %d after 100", low, high)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if _, err := c.HighWater(); err != ErrClosed {
		t.Errorf("after Close: %v", err)
	}
}

// TestPortableBackendTakesOverWhenAnOffsetIsWrong perturbs the table that the
// native backend stands on; asm's own test does it to every offset.
func TestPortableBackendTakesOverWhenAnOffsetIsWrong(t *testing.T) {
	needsNative(t)
	const variable = "GREENTHREAD_PERTURB"
	if name := os.Getenv(variable); name != "" {
		return // not reached: the backend is portable
	}
	for _, name := range []string{"g.m", "g.sched.sp", "g.stktopsp", "m.curg", "g.paniconfault"} {
		cmd := Command(os.Args[0], "-test.run=^TestCoroutineWorksAndTellsItsBackend$", "-test.v")
		cmd.Env = append(os.Environ(), variable+"="+name)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "portable: ") || !strings.Contains(string(out), name) {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

func TestCoroutineWorksAndTellsItsBackend(t *testing.T) {
	t.Log(Backend())
	c := NewCoroutine(func(y Yielder[int, int], in int) int { return y.Yield(in+1) + 2 })
	if out, err := c.Resume(1); out != 2 || err != nil {
		t.Error(out, err)
	}
	if out, err := c.Resume(3); out != 5 || err != nil || !c.Done() {
		t.Error(out, err)
	}
}
