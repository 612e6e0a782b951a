package strace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"greenthread/bench/internal/measure"
)

// orderVariable holds the order for a child: "create/ucontext/fresh 1000".
const orderVariable = "GREENTHREAD_BENCH_TRACED"

// done is what a child says that has carried out its order; another answer begins
// with failed.
const (
	done   = "done"
	failed = "failed: "
)

// RunChild carries out the order of a process that was started to be traced, and
// exits. In any other process it returns at once. pick finds an experiment with one
// variant by its name; end releases what pick needed.
func RunChild(pick func(name string) (measure.Experiment, error), end func() error) {
	order, ok := os.LookupEnv(orderVariable)
	if !ok {
		return
	}
	if err := errors.Join(carryOut(order, pick), end()); err != nil {
		fmt.Println(failed + strings.ReplaceAll(err.Error(), "\n", "; "))
	} else {
		fmt.Println(done)
	}
	os.Exit(0)
}

func carryOut(order string, pick func(string) (measure.Experiment, error)) error {
	var name string
	var n int
	if _, err := fmt.Sscan(order, &name, &n); err != nil || n < 1 {
		return fmt.Errorf("the order %q is not understood", order)
	}
	e, err := pick(name)
	if err != nil {
		return err
	}
	ctx := context.Background()
	s, err := e.Variants[0].Open(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	_, err = s.Sample(ctx, measure.NewClock(), n)
	return err
}
