package exp

import (
	"context"
	"errors"
	"runtime"
	"time"

	"greenthread/bench/internal/measure"
	green "greenthread/runtime"
	"greenthread/stackpool"
)

// createGreenFresh makes a green thread on an 8 MiB stack mapped for it, runs it
// to its end and unmaps the stack.
func createGreenFresh(context.Context) (measure.Sampler, error) {
	if b := green.Backend(); !b.Native {
		return nil, measure.Unavailablef("it has no stacks to map (%v)", b)
	}
	// An arena of the least size holds one stack: it is mapped by the Get that
	// finds the pool empty, and unmapped by the Trim that finds the stack unused.
	pool, err := stackpool.New(stackpool.Config{Name: "bench-fresh", Size: freshStack, ArenaSize: 1})
	if err != nil {
		return nil, unavailable(err)
	}
	onPool := green.WithPool(pool)
	once := func() error {
		if err := green.Do(nothing, onPool); err != nil {
			return err
		}
		green.Trim(0) // ends the thread, which puts its stack back
		if err := awaitReturn(pool); err != nil {
			return err
		}
		_, err := pool.Trim(0)
		return err
	}
	if err := once(); err != nil {
		return nil, unavailable(errors.Join(err, pool.Close()))
	}
	return measure.Loop(func(n int) error {
		for range n {
			if err := once(); err != nil {
				return err
			}
		}
		return nil
	}, trimmed(pool.Close)), nil
}

// awaitReturn waits until the pool has all its stacks back. The goroutine of the
// ended thread is ready to run, so to yield to it once is mostly enough.
func awaitReturn(pool *stackpool.Pool) error {
	for tries := 0; pool.Stats().Live > 0; tries++ {
		switch {
		case tries < 1000:
			runtime.Gosched()
		case tries < 11000:
			time.Sleep(time.Millisecond)
		default:
			return errors.New("an ended thread does not put its stack back")
		}
	}
	return nil
}

// createGreenPooled runs a function on a green thread that is kept warm: it is
// launched on a stack of the pool, runs to its end and is put back.
func createGreenPooled(context.Context) (measure.Sampler, error) {
	return measure.Loop(func(n int) error {
		for range n {
			if err := green.Do(nothing); err != nil {
				return err
			}
		}
		return nil
	}, trimmed(nil)), nil
}

// nothing is what the threads run.
func nothing() {}
