package peers

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"greenthread/bench/internal/measure"
)

// taskVariable makes this program a peer of itself, and names the task.
const taskVariable = "GREENTHREAD_BENCH_TASK"

// selfTimeout is how long a task of this program may take for a sample. The longest
// makes a million threads.
const selfTimeout = 2 * time.Minute

// A Task opens a sampler that is to have a process of its own.
type Task func(context.Context) (measure.Sampler, error)

// OpenSelf starts this program once more, on some CPUs if any are given, and returns
// a sampler for the task that Serve finds there: the operations are done in that
// process, and what they leave behind ends with it.
func OpenSelf(ctx context.Context, task string, cpus ...int) (measure.Sampler, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, measure.Unavailablef("it cannot start this program again: %v", err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), taskVariable+"="+task)
	p, err := start(ctx, cmd, cpus, selfTimeout)
	if err != nil {
		return nil, err
	}
	return &sampler{process: p, task: task}, nil
}

// Serving reports whether this process was started by OpenSelf.
func Serving() bool {
	_, ok := os.LookupEnv(taskVariable)
	return ok
}

// Serve carries out the orders of the process that has started this one by OpenSelf,
// until its input ends, and exits. In any other process it returns at once.
func Serve(find func(name string) (Task, error)) {
	if !Serving() {
		return
	}
	s, err := open(find, os.Getenv(taskVariable))
	var unavailable measure.Unavailable
	switch {
	case errors.As(err, &unavailable):
		fmt.Println("unavailable", oneLine(err))
		os.Exit(0)
	case err != nil:
		fmt.Println("error", oneLine(err))
		os.Exit(0)
	}
	fmt.Println("ready")
	clock := measure.NewClock()
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		fmt.Println(answer(s, clock, in.Text()))
	}
	os.Exit(0) // whatever is left goes with the process
}

func open(find func(string) (Task, error), name string) (measure.Sampler, error) {
	task, err := find(name)
	if err != nil {
		return nil, err
	}
	return task(context.Background())
}

// answer takes a sample, and words what came of it.
func answer(s measure.Sampler, clock measure.Clock, order string) string {
	var name string
	var n int
	if _, err := fmt.Sscanf(order, "run %s %d", &name, &n); err != nil || n < 1 {
		return fmt.Sprintf("error not understood: %q", order)
	}
	count := measure.CountUsage()
	r, err := s.Sample(context.Background(), clock, n)
	if r.Usage == (measure.Usage{}) {
		r.Usage = count()
	}
	var text []byte
	if err == nil {
		text, err = json.Marshal(r)
	}
	if err != nil {
		return "error " + oneLine(err)
	}
	return "ok " + string(text)
}

func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }
