package runtime

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
)

//go:noinline
func panicsIn(v any) { panic(v) }

// carried returns what Join says of a thread that runs fn, twice.
func carried(t *testing.T, r *Runtime, fn func()) error {
	t.Helper()
	th := start(t, r, fn, WithPanicInJoin(), WithName("fragile"))
	err := th.Join(context.Background())
	if again := th.Join(context.Background()); again != err {
		t.Errorf("Join says %v, and then %v", err, again)
	}
	return err
}

func TestPanicsAreCarriedToJoin(t *testing.T) {
	watch(t)
	r := runtimeOf(t, 1)
	for _, v := range []any{"boom", errBroken, 7} {
		err := carried(t, r, func() { panicsIn(v) })
		var p *PanicError
		if !errors.As(err, &p) || p.Value != v || p.Name != "fragile" {
			t.Fatalf("%v", err)
		}
		if !strings.Contains(string(p.Stack), "runtime.panicsIn") {
			t.Errorf("the stack is not that of the panic:\n%s", p.Stack)
		}
		if _, isError := v.(error); isError && !errors.Is(err, errBroken) {
			t.Errorf("%v is not found in %v", v, err)
		}
	}
	var p *PanicError
	var nilPanic *runtime.PanicNilError
	if err := carried(t, r, func() { panicsIn(nil) }); !errors.As(err, &p) || !errors.As(err, &nilPanic) {
		t.Errorf("panic(nil): %v", err)
	}
	var index runtime.Error
	if err := carried(t, r, func() { _ = make([]int, 1)[len(p.Name)] }); !errors.As(err, &index) {
		t.Errorf("an index out of range: %v", err)
	}
}

func TestJoinOfThreadsThatDoNotPanic(t *testing.T) {
	watch(t)
	r := runtimeOf(t, 1)
	deferred := 0
	for _, fn := range []func(){
		func() {},
		func() { defer func() { deferred++ }(); runtime.Goexit() },
		func() { defer func() { recover(); deferred++ }(); panicsIn("recovered") },
		func() { // Goexit in a deferred call ends the panic
			defer func() { deferred++; runtime.Goexit() }()
			panicsIn("lost")
		},
	} {
		if err := carried(t, r, fn); err != nil {
			t.Error(err)
		}
	}
	if deferred != 3 {
		t.Errorf("%d of 3 deferred calls have run", deferred)
	}
	// The panic in a deferred call of Goexit is one.
	var p *PanicError
	if err := carried(t, r, func() { defer panicsIn("late"); runtime.Goexit() }); !errors.As(err, &p) || p.Value != "late" {
		t.Errorf("%v", err)
	}
	join(t, start(t, r, func() {})) // the runtime is as before
}

func TestOverflowIsCarriedToJoin(t *testing.T) {
	if !backend().Native {
		t.Skip("an overflow of Go's own stacks ends the program")
	}
	watch(t)
	r := runtimeOf(t, 1)
	for range 3 {
		err := carried(t, r, func() { recurse(1 << 20) })
		overflow, ok := AsStackOverflow(err)
		if !ok || overflow.Thread != "fragile" || overflow.Size < DefaultStackSize/2 {
			t.Fatalf("%v", err)
		}
		join(t, start(t, r, func() { recurse(100) })) // on the same stack
	}
}
