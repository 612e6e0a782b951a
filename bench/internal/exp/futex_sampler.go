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
	"greenthread/futex"
)

// futexOrder is how a child process learns that it is one, and what it has to do: a kind and a number of rounds.
const futexOrder = "GREENTHREAD_BENCH_FUTEX"

// Each sample is a process of its own: the fallback can only be had by a filter that nobody gets rid of again, and the
// others are to have no advantage.
func init() {
	if order, ok := os.LookupEnv(futexOrder); ok {
		r := carryOutFutex(order)
		if json.NewEncoder(os.Stdout).Encode(r) != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
}

// futexResult is what a child tells.
type futexResult struct {
	Rounds    time.Duration // for all of them
	Broadcast float64       // seconds for as many broadcasts as were published
	Usage     measure.Usage // of the rounds
	Error     string        // why there is nothing else
}

func carryOutFutex(order string) (r futexResult) {
	var kind string
	var n int
	_, err := fmt.Sscan(order, &kind, &n)
	if err == nil && kind == "fallback" {
		err = refusePrivateFutexes()
	}
	var t futexTest
	if err == nil {
		t, err = newFutexTest(kind)
	}
	if err == nil {
		count := measure.CountUsage()
		r.Rounds, err = t.rounds(n)
		r.Usage = count()
	}
	if err == nil {
		r.Broadcast, err = t.broadcast(max(1, n/20))
	}
	if err != nil {
		r.Error = err.Error()
	}
	return r
}

func openFutex(kind string) (measure.Sampler, error) {
	if _, err := new(futex.SharedMutex).TryLock(); errors.Is(err, errors.ErrUnsupported) {
		return nil, measure.Unavailablef("it needs the kernel's futexes (%v)", err)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, measure.Unavailablef("it cannot start this program again: %v", err)
	}
	return futexSampler{self, kind}, nil
}

type futexSampler struct{ program, kind string }

func (s futexSampler) Sample(ctx context.Context, _ measure.Clock, n int) (measure.Reading, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.program)
	group.Own(cmd)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d", futexOrder, s.kind, n))
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return measure.Reading{}, fmt.Errorf("its process ended: %w: %s", err, errs.String())
	}
	var r futexResult
	if err := json.Unmarshal(out, &r); err != nil {
		return measure.Reading{}, fmt.Errorf("its process said nonsense: %w", err)
	}
	if r.Error != "" {
		return measure.Reading{}, errors.New(r.Error)
	}
	return measure.Reading{
		Ops: n, Elapsed: r.Rounds, Usage: r.Usage, Elsewhere: true,
		Further: map[string]float64{"broadcast_s": r.Broadcast},
	}, nil
}

func (futexSampler) Close() error { return nil }
