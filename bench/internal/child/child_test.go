package child

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"greenthread/bench/internal/measure"
)

func TestMain(m *testing.M) {
	Run(map[string]Task{
		"fine": func(n int) (measure.Reading, error) {
			return measure.Reading{Ops: n, Elapsed: time.Duration(n), Further: map[string]float64{"twice": float64(2 * n)}}, nil
		},
		"tired": func(int) (measure.Reading, error) { return measure.Reading{}, errors.New("too\ntired") },
		"dies":  func(int) (measure.Reading, error) { panic("a wild pointer") },
		"slow":  func(int) (measure.Reading, error) { time.Sleep(time.Hour); return measure.Reading{}, nil },
	})
	os.Setenv("GORACE", "atexit_sleep_ms=0") // for the children
	os.Exit(m.Run())
}

func open(t *testing.T, task string) measure.Sampler {
	t.Helper()
	s, err := Open(task)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestTaskRunsInAProcessOfItsOwn(t *testing.T) {
	r, err := open(t, "fine").Sample(t.Context(), nil, 21)
	if err != nil || r.Ops != 21 || r.Elapsed != 21 || r.Further["twice"] != 42 || !r.Elsewhere {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestFailuresOfTheChildAreTold(t *testing.T) {
	for _, c := range []struct {
		s    measure.Sampler
		n    int
		want string
	}{
		{open(t, "tired"), 1, "too\ntired"},
		{open(t, "dies"), 1, "its process ended: exit status 2: panic: a wild pointer"},
		{open(t, "nobody"), 1, `no such task: "nobody 1"`},
		{open(t, "fine"), -3, `no such task: "fine -3"`},
		{sampler{program: "false"}, 1, "its process ended: exit status 1"},
		{sampler{program: "true"}, 1, "nonsense"},
		{sampler{program: "/no/program"}, 1, "no such file"},
	} {
		if _, err := c.s.Sample(t.Context(), nil, c.n); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("the error is %v, want %s", err, c.want)
		}
	}
}

func TestChildEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	if _, err := open(t, "slow").Sample(ctx, nil, 1); err == nil || ctx.Err() == nil {
		t.Errorf("the error is %v", err)
	}
	if _, err := open(t, "slow").Sample(ctx, nil, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end, the error is %v", err)
	}
}
