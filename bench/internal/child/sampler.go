package child

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"greenthread/bench/internal/group"
	"greenthread/bench/internal/measure"
	"greenthread/bench/internal/pin"
)

// patience returns how long a child may take: on a machine with much else to do, a
// thread may take a hundred times as long as on a quiet one.
func patience(n int) time.Duration {
	return time.Minute + time.Duration(max(0, min(n, 1e7)))*500*time.Microsecond
}

// Open returns a sampler whose samples are a task in a process of their own, on some
// CPUs if any are given.
func Open(task string, cpus ...int) (measure.Sampler, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, measure.Unavailablef("it cannot start this program again: %v", err)
	}
	return sampler{self, task, cpus}, nil
}

type sampler struct {
	program, task string
	cpus          []int
}

// Sample starts a child and waits for its answer.
func (s sampler) Sample(ctx context.Context, _ measure.Clock, n int) (measure.Reading, error) {
	timeout := patience(n)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.program)
	group.Own(cmd)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d", orderVariable, s.task, n))
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := pin.Start(cmd, s.cpus)
	if err == nil {
		err = cmd.Wait()
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return measure.Reading{}, fmt.Errorf("no answer in time (%v)", timeout)
	}
	if err != nil {
		line, _, _ := bytes.Cut(errs.Bytes(), []byte("\n"))
		return measure.Reading{}, fmt.Errorf("its process ended: %w: %s", err, line)
	}
	var a answer
	if err := json.Unmarshal(out.Bytes(), &a); err != nil {
		return measure.Reading{}, fmt.Errorf("its process said nonsense: %w", err)
	}
	if a.Error != "" {
		return measure.Reading{}, errors.New(a.Error)
	}
	a.Reading.Elsewhere = true
	return a.Reading, nil
}

// Close has nothing to release.
func (sampler) Close() error { return nil }
