package exp

import (
	"context"
	"errors"

	"greenthread/asm"
	"greenthread/bench/internal/measure"
	"greenthread/stackpool"
)

// spawnClone makes raw kernel threads on stacks of the pool, and joins them.
func spawnClone(burst int) func(context.Context) (measure.Sampler, error) {
	return func(context.Context) (measure.Sampler, error) {
		pool, err := stackpool.New(stackpool.Config{Name: "bench"})
		if err != nil {
			return nil, unavailable(err)
		}
		b := cloneBurst{pool: pool, stacks: make([]*stackpool.Stack, burst), threads: make([]*asm.KernelThread, burst)}
		// The first one tells whether there are such threads here.
		one := cloneBurst{pool: pool, stacks: b.stacks[:1], threads: b.threads[:1]}
		if err := one.run(); err != nil {
			return nil, unavailable(errors.Join(err, pool.Close()))
		}
		return measure.Loop(repeat(b.run), pool.Close), nil
	}
}

// A cloneBurst has room for as many threads as there are stacks.
type cloneBurst struct {
	pool    *stackpool.Pool
	stacks  []*stackpool.Stack
	threads []*asm.KernelThread
}

// run makes the threads and joins those that it could make.
func (b cloneBurst) run() error {
	made, err := b.start()
	for i := range made {
		if joined := b.threads[i].Join(); joined != nil {
			return errors.Join(err, joined) // whatever runs there: its stack is not put back
		}
		err = errors.Join(err, b.pool.Put(b.stacks[i]))
	}
	return err
}

// start makes threads until there are all, or the first error.
func (b cloneBurst) start() (made int, err error) {
	for i := range b.stacks {
		if b.stacks[i], err = b.pool.Get(); err != nil {
			return i, err
		}
		if b.threads[i], err = asm.StartThread(memoryOf(b.stacks[i]), asm.BodyReturn(), 0); err != nil {
			return i, errors.Join(err, b.pool.Put(b.stacks[i]))
		}
	}
	return len(b.stacks), nil
}
