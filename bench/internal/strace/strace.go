package strace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"greenthread/bench/internal/group"
	"greenthread/bench/internal/measure"
)

const (
	// operations is how many units are counted in a sample, and base how many the child
	// does that is subtracted.
	operations = 300
	base       = 30

	// Rounds is how many there are at most: counts hardly differ.
	Rounds = 7

	// timeout is how long a child may take.
	timeout = time.Minute
)

// Find returns the path of strace, or an error that says that there is none.
func Find() (string, error) {
	path, err := exec.LookPath("strace")
	if err != nil {
		return "", errors.New("strace is not installed (Debian has it in the package strace)")
	}
	return path, nil
}

// Counted returns e with the calls of an operation as its metrics, counted by the
// strace at path. The names of the variants stay. It refuses an experiment whose
// variants choose how many operations a sample has.
func Counted(e measure.Experiment, path string) (measure.Experiment, error) {
	self, err := os.Executable()
	if err != nil {
		return e, fmt.Errorf("this program cannot start itself again: %w", err)
	}
	e.Title = "system calls for each operation, ± how far the rounds reach, if that is not next to nothing"
	e.Counted, e.Short, e.Rounds, e.Long, e.Ratios = true, false, Rounds, Rounds, nil
	e.Metrics = nil
	for _, c := range calls {
		e.Metrics = append(e.Metrics, measure.Further(c.metric(), "calls"))
	}
	variants := make([]measure.Variant, len(e.Variants))
	for i, v := range e.Variants {
		if v.Ops != 0 {
			return e, fmt.Errorf("the samples of %s/%s are no repetitions of one operation, so there are no calls for each", e.Name, v.Name)
		}
		t := tracer{strace: path, program: self, variant: e.Name + "/" + v.Name, units: max(1, v.Units)}
		variants[i] = measure.Variant{Name: v.Name, Ops: max(1, operations/t.units), Takes: time.Second / 2, Open: t.open(v.Open)}
	}
	e.Variants = variants
	return e, nil
}

// A tracer starts this program under strace.
type tracer struct {
	strace, program, variant string
	units                    int // that calls are counted for, in an operation of the variant
}

// open returns the Open function of the traced variant: it is available if the
// variant itself is. That compiles peers, too, which shall not be traced.
func (t tracer) open(variant func(context.Context) (measure.Sampler, error)) func(context.Context) (measure.Sampler, error) {
	return func(ctx context.Context) (measure.Sampler, error) {
		s, err := variant(ctx)
		if err != nil {
			return nil, err
		}
		return t, s.Close()
	}
}

// Sample counts the calls of n operations.
func (t tracer) Sample(ctx context.Context, _ measure.Clock, n int) (measure.Reading, error) {
	start := time.Now()
	first := max(1, base/t.units)
	less, err := t.trace(ctx, first)
	if err != nil {
		return measure.Reading{}, err
	}
	more, err := t.trace(ctx, first+n)
	if err != nil {
		return measure.Reading{}, err
	}
	return measure.Reading{Ops: n, Elapsed: time.Since(start), Elsewhere: true, Further: more.per(n*t.units, less)}, nil
}

// Close has nothing to release.
func (tracer) Close() error { return nil }

// trace counts the calls of a child that does n operations.
func (t tracer) trace(ctx context.Context, n int) (counts, error) {
	dir, err := os.MkdirTemp("", "greenthread-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	summary := filepath.Join(dir, "summary")

	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, t.strace, "-f", "-c", "-o", summary, "-e", filter(), t.program)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d", orderVariable, t.variant, n))
	cmd.WaitDelay = time.Second
	group.OwnAll(cmd)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	switch said := strings.TrimSpace(out.String()); {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("no answer in time (%v): %w", timeout, ctx.Err())
	case strings.HasPrefix(said, failed):
		return nil, errors.New(strings.TrimPrefix(said, failed))
	case err != nil || said != done:
		text, _, _ := strings.Cut(strings.TrimSpace(errs.String()), "\n")
		return nil, measure.Unavailablef("strace cannot trace it: %v: %s", err, text)
	}
	text, err := os.ReadFile(summary)
	if err != nil {
		return nil, err
	}
	return parse(string(text))
}
