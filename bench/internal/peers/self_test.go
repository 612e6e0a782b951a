//go:build unix

package peers

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"greenthread/bench/internal/measure"
	"greenthread/bench/internal/pin"
)

// findFake finds the tasks that this test binary carries out as a peer of itself.
func findFake(name string) (Task, error) {
	one := measure.Reading{
		Elapsed: 7, Further: map[string]float64{"cpus": float64(runtime.NumCPU())},
		Latencies: []float64{1, 2.5}, Courses: map[string][]measure.Point{"x": {{At: 3, Value: 4}}},
	}
	tasks := map[string]func(n int) (measure.Reading, error){
		"good":  func(n int) (measure.Reading, error) { r := one; r.Ops = n; return r, nil },
		"fails": func(int) (measure.Reading, error) { return one, errors.New("first\nsecond") },
		"dies":  func(int) (measure.Reading, error) { panic("my last words") },
	}
	switch name {
	case "absent":
		return func(context.Context) (measure.Sampler, error) { return nil, measure.Unavailable("not here") }, nil
	case "broken":
		return func(context.Context) (measure.Sampler, error) { return nil, errors.New("it is broken") }, nil
	}
	do, ok := tasks[name]
	if !ok {
		return nil, fmt.Errorf("no task %s", name)
	}
	return func(context.Context) (measure.Sampler, error) { return doing(do), nil }, nil
}

type doing func(n int) (measure.Reading, error)

func (d doing) Sample(_ context.Context, _ measure.Clock, n int) (measure.Reading, error) {
	return d(n)
}
func (doing) Close() error { return nil }

func TestTaskHasAProcessOfItsOwn(t *testing.T) {
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	s, err := OpenSelf(t.Context(), "good")
	if err != nil {
		t.Fatal(err)
	}
	for n := range 3 {
		r, err := s.Sample(t.Context(), nil, n+1)
		if err != nil || r.Ops != n+1 || r.Elapsed != 7 || !r.Elsewhere || !r.Usage.Go ||
			!slices.Equal(r.Latencies, []float64{1, 2.5}) || r.Courses["x"][0] != (measure.Point{At: 3, Value: 4}) {
			t.Errorf("%d operations: %+v, %v", n+1, r, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Errorf("it does not end with its input: %v", err)
	}
}

func TestTaskRunsOnTheCPUsThatItIsGiven(t *testing.T) {
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	allowed, err := pin.Allowed()
	if err != nil {
		t.Skip(err)
	}
	last := allowed[len(allowed)-1]
	s, err := OpenSelf(t.Context(), "good", last)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if r, err := s.Sample(t.Context(), nil, 1); err != nil || r.Further["cpus"] != 1 {
		t.Errorf("%+v, %v; want 1 CPU", r, err)
	}
	if after, err := pin.Allowed(); err != nil || !slices.Equal(after, allowed) {
		t.Errorf("this process may use %v now, %v; it was %v", after, err, allowed)
	}
	if _, err := OpenSelf(t.Context(), "good", 1023); err == nil || !strings.Contains(err.Error(), "CPU 1023") {
		t.Errorf("on a CPU that there is not: %v", err)
	}
}

func TestFailuresOfATaskAreTold(t *testing.T) {
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	var unavailable measure.Unavailable
	if _, err := OpenSelf(t.Context(), "absent"); !errors.As(err, &unavailable) || err.Error() != "not here" {
		t.Errorf("absent: %v", err)
	}
	for task, want := range map[string]string{"broken": "it is broken", "nobody": "no task nobody"} {
		if _, err := OpenSelf(t.Context(), task); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", task, err, want)
		}
	}
	for task, want := range map[string]string{"fails": "first; second", "dies": "its process ended: exit status 2"} {
		s, err := OpenSelf(t.Context(), task)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Sample(t.Context(), nil, 1); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", task, err, want)
		}
		if err := s.Close(); err != nil {
			t.Errorf("%s: %v", task, err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	if _, err := OpenSelf(ctx, "good"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("after the end of the context: %v", err)
	}
}

func TestDistributionsOfPeersAreRead(t *testing.T) {
	points := strings.Repeat(" 5", measure.LatencyPoints-1) + " 9.5"
	if r, ok := parse("100 1 2 3" + points); !ok || r.Elapsed != 100 || len(r.Latencies) != measure.LatencyPoints || r.Latencies[100] != 9.5 {
		t.Errorf("%+v, %v", r, ok)
	}
	for _, bad := range []string{"", "100 1 2", "100 1 2 3 4", "100 1 2 3" + points + " 7", "x 1 2 3", "100 1 2 3" + strings.Repeat(" -1", 101), "{"} {
		if r, ok := parse(bad); ok {
			t.Errorf("%q is understood: %+v", bad, r)
		}
	}
}
