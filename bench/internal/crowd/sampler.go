package crowd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"greenthread/bench/internal/group"
	"greenthread/bench/internal/measure"
)

// orderVariable holds the order for a child: a kind and a number, "green 1000".
const orderVariable = "GREENTHREAD_BENCH_CROWD"

// patience returns how long a child may take: on a machine with much else to do, a
// thread may take a hundred times as long as on a quiet one.
func patience(n int) time.Duration {
	return time.Minute + time.Duration(max(0, min(n, 1e7)))*500*time.Microsecond
}

// Open returns a sampler whose n operations make a crowd of n threads of one kind:
// "green", "coroutine" or "goroutine".
func Open(kind string) (measure.Sampler, error) {
	if _, err := readMemory(); err != nil {
		return nil, measure.Unavailablef("it needs Linux to tell how much memory is in use (%v)", err)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, measure.Unavailablef("it cannot start this program again: %v", err)
	}
	return sampler{self, kind}, nil
}

type sampler struct{ program, kind string }

// A result is what a child tells.
type result struct {
	Spawn   time.Duration      // to make them all and have them run and wait
	Usage   measure.Usage      // of that
	Further map[string]float64 // by name of the metric
	Error   string             // why there is nothing else
}

// Sample starts a child and waits for what it tells.
func (s sampler) Sample(ctx context.Context, _ measure.Clock, n int) (measure.Reading, error) {
	timeout := patience(n)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, s.program)
	group.Own(cmd)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d", orderVariable, s.kind, n))
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return measure.Reading{}, fmt.Errorf("no answer in time (%v)", timeout)
		}
		last, _, _ := strings.Cut(errs.String(), "\n")
		return measure.Reading{}, fmt.Errorf("its process ended: %w: %s", err, last)
	}
	var r result
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		return measure.Reading{}, fmt.Errorf("its process said nonsense: %w", err)
	}
	if r.Error != "" {
		return measure.Reading{}, errors.New(r.Error)
	}
	return measure.Reading{Ops: n, Elapsed: r.Spawn, Usage: r.Usage, Elsewhere: true, Further: r.Further}, nil
}

// Close has nothing to release.
func (sampler) Close() error { return nil }
