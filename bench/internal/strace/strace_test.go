package strace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"greenthread/bench/internal/measure"
)

// The variants of the tests call what their names say; each operation is one call.
var testVariants = map[string]func() error{
	"mmap": func() error {
		return exercise(os.Getpagesize())
	},
	"nothing": func() error { return nil },
	"failing": func() error { return errors.New("too\ntired") },
}

func pickTest(name string) (measure.Experiment, error) {
	_, name, _ = strings.Cut(name, "/")
	do, ok := testVariants[name]
	if !ok {
		return measure.Experiment{}, fmt.Errorf("there is no %s", name)
	}
	return experiment(name, do), nil
}

func experiment(name string, do func() error) measure.Experiment {
	open := func(context.Context) (measure.Sampler, error) {
		return measure.Loop(func(n int) error {
			for range n {
				if err := do(); err != nil {
					return err
				}
			}
			return nil
		}, nil), nil
	}
	return measure.Experiment{Name: "test", Variants: []measure.Variant{{Name: name, Open: open}}}
}

func TestMain(m *testing.M) {
	RunChild(pickTest, func() error { return nil })
	os.Setenv("GORACE", "atexit_sleep_ms=0") // for the children
	os.Exit(m.Run())
}

// count counts the calls of a variant, where strace can.
func count(t *testing.T, name string) (measure.Reading, error) {
	t.Helper()
	path, err := Find()
	if err != nil {
		t.Skip(err)
	}
	e, err := Counted(experiment(name, testVariants["nothing"]), path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := e.Variants[0].Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r, err := s.Sample(t.Context(), measure.NewClock(), 200)
	var unavailable measure.Unavailable
	if errors.As(err, &unavailable) {
		t.Skip(err)
	}
	return r, err
}

func TestCallsOfTheOperationAreCountedAndNoOthers(t *testing.T) {
	for name, want := range map[string]map[string]float64{
		"mmap":    {"mmap_calls": 1, "munmap_calls": 1, "madvise_calls": 0, "clone_calls": 0},
		"nothing": {"mmap_calls": 0, "munmap_calls": 0, "madvise_calls": 0, "clone_calls": 0},
	} {
		r, err := count(t, name)
		if err != nil || r.Ops != 200 || !r.Elsewhere || len(r.Further) != len(calls) {
			t.Fatalf("%s: %+v, %v", name, r, err)
		}
		// The Go runtime may call something once more in one child than in the other.
		for metric, n := range want {
			if got := r.Further[metric]; got < n-0.1 || got > n+0.1 {
				t.Errorf("%s: %v %s for each operation, want %v", name, got, metric, n)
			}
		}
	}
}

func TestFailureOfTheChildIsTold(t *testing.T) {
	for name, want := range map[string]string{"failing": "too; tired", "absent": "there is no absent"} {
		if _, err := count(t, name); err == nil || err.Error() != want {
			t.Errorf("%s: the error is %v, want %s", name, err, want)
		}
	}
}

func TestStraceThatCannotTraceLeavesTheVariantOut(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the test needs a shell script")
	}
	broken := filepath.Join(t.TempDir(), "strace")
	script := "#!/bin/sh\necho 'strace: ptrace: Operation not permitted' >&2\nexit 1\n"
	if err := os.WriteFile(broken, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := tracer{broken, "x", "test/nothing", 1}.Sample(t.Context(), nil, 10)
	var unavailable measure.Unavailable
	if !errors.As(err, &unavailable) || !strings.Contains(err.Error(), "Operation not permitted") {
		t.Errorf("the error is %v", err)
	}
}

func TestTracingEndsWithTheContext(t *testing.T) {
	path, err := Find()
	if err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (tracer{path, "x", "test/nothing", 1}).Sample(ctx, nil, 10); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

func TestSummaryIsUnderstood(t *testing.T) {
	got, err := parse(`% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 99.54    1.000000          37     27000         2 futex
  0.46    0.004600          46       100           mmap
  0.00    0.000000           0         7           clone
  0.00    0.000000           0         5           clone3
------ ----------- ----------- --------- --------- ----------------
100.00    1.004600          37     27112         2 total
`)
	if err != nil || got["futex_calls"] != 27000 || got["mmap_calls"] != 100 || got["clone_calls"] != 12 || got["munmap_calls"] != 0 {
		t.Errorf("got %v, %v", got, err)
	}
	if got, err := parse(""); err != nil || len(got) != len(calls) {
		t.Errorf("nothing was called: %v, %v", got, err)
	}
	if got, err := parse(" 99.54    1.000000          37     many         2 futex\n"); err == nil {
		t.Errorf("nonsense is read as %v", got)
	}
}

func TestBaseIsTakenOff(t *testing.T) {
	more, less := counts{"mmap_calls": 130, "futex_calls": 2}, counts{"mmap_calls": 30, "futex_calls": 3}
	if got := more.per(200, less); got["mmap_calls"] != 0.5 || got["futex_calls"] != 0 {
		t.Errorf("got %v", got)
	}
}

func TestExperimentWithoutOperationsIsRefused(t *testing.T) {
	e := experiment("crowd", testVariants["nothing"])
	e.Variants[0].Ops = 100
	if _, err := Counted(e, "strace"); err == nil || !strings.Contains(err.Error(), "test/crowd") {
		t.Errorf("the error is %v", err)
	}
}

func TestStraceKnowsTheFilter(t *testing.T) {
	path, err := Find()
	if err != nil {
		t.Skip(err)
	}
	if said, err := exec.Command(path, "-e", filter(), "-V").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, said)
	}
}
