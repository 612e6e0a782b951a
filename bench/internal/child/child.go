package child

import (
	"encoding/json"
	"fmt"
	"os"

	"greenthread/bench/internal/measure"
)

// A Task takes one sample of n operations.
type Task func(n int) (measure.Reading, error)

// orderVariable holds the order for a child: a task and a number, "skynet/green 1000".
const orderVariable = "GREENTHREAD_BENCH_CHILD"

// answer is what a child says.
type answer struct {
	Reading measure.Reading
	Error   string // why there is nothing else
}

// Run carries out the order of a process that was started by a sampler, and exits. In
// any other process it returns at once.
func Run(tasks map[string]Task) {
	order, ok := os.LookupEnv(orderVariable)
	if !ok {
		return
	}
	var a answer
	var err error
	if a.Reading, err = carryOut(tasks, order); err != nil {
		a.Error = err.Error()
	}
	if json.NewEncoder(os.Stdout).Encode(a) != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

func carryOut(tasks map[string]Task, order string) (measure.Reading, error) {
	var name string
	var n int
	if _, err := fmt.Sscan(order, &name, &n); err != nil || tasks[name] == nil || n < 1 {
		return measure.Reading{}, fmt.Errorf("there is no such task: %q", order)
	}
	return tasks[name](n)
}
