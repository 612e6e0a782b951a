package exp

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

// childOrder is how a child process learns that it is one, and what it has to do: a
// name of childTasks and a number of operations.
const childOrder = "GREENTHREAD_BENCH_CHILD"

// childTimeout is how long one may take.
const childTimeout = 2 * time.Minute

// childTasks are for samples that need a process of their own: what they change, or
// leave behind, would be in the way of others.
var childTasks = map[string]func(n int) (measure.Reading, error){
	"futex/private":    futexTask("private"),
	"futex/shared":     futexTask("shared"),
	"futex/fallback":   futexTask("fallback"),
	"futex/green":      futexTask("green"),
	"skynet/green":     skynetTask(skynetGreen),
	"skynet/goroutine": skynetTask(skynetGoroutine),
}

// childAnswer is what a child says.
type childAnswer struct {
	Reading measure.Reading
	Error   string // why there is nothing else
}

func init() {
	order, ok := os.LookupEnv(childOrder)
	if !ok {
		return
	}
	var name string
	var n int
	var a childAnswer
	if _, err := fmt.Sscan(order, &name, &n); err != nil || childTasks[name] == nil || n < 1 {
		a.Error = fmt.Sprintf("there is no such task: %q", order)
	} else if a.Reading, err = childTasks[name](n); err != nil {
		a.Error = err.Error()
	}
	if json.NewEncoder(os.Stdout).Encode(a) != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// inChild returns a sampler whose samples are a task in a process of their own, on some
// CPUs if any are given.
func inChild(task string, cpus ...int) (measure.Sampler, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, measure.Unavailablef("it cannot start this program again: %v", err)
	}
	return childSampler{self, task, cpus}, nil
}

type childSampler struct {
	program, task string
	cpus          []int
}

// Sample starts a child and waits for its answer.
func (s childSampler) Sample(ctx context.Context, _ measure.Clock, n int) (measure.Reading, error) {
	ctx, cancel := context.WithTimeout(ctx, childTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.program)
	group.Own(cmd)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d", childOrder, s.task, n))
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := pin.Start(cmd, s.cpus)
	if err == nil {
		err = cmd.Wait()
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return measure.Reading{}, fmt.Errorf("no answer in time (%v)", childTimeout)
	}
	if err != nil {
		line, _, _ := bytes.Cut(errs.Bytes(), []byte("\n"))
		return measure.Reading{}, fmt.Errorf("its process ended: %w: %s", err, line)
	}
	var a childAnswer
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
func (childSampler) Close() error { return nil }
