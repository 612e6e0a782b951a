package exp

import (
	"context"
	"errors"

	"greenthread/asm"
	"greenthread/bench/internal/measure"
	"greenthread/stackpool"
)

// switchNative swaps between two native contexts that keep the floating-point
// control words.
func switchNative(context.Context) (measure.Sampler, error) { return pingPong(true) }

// switchNativeNoFP swaps between two native contexts that keep registers only.
func switchNativeNoFP(context.Context) (measure.Sampler, error) { return pingPong(false) }

// pingPong has two native contexts swap to and fro, both in native code.
func pingPong(words bool) (measure.Sampler, error) {
	pool, err := stackpool.New(stackpool.Config{Name: "bench"})
	if err != nil {
		return nil, unavailable(err)
	}
	var stacks [2]*stackpool.Stack
	stop := func() error {
		var errs []error
		for _, s := range stacks {
			if s != nil {
				errs = append(errs, pool.Put(s))
			}
		}
		return errors.Join(append(errs, pool.Close())...)
	}
	for i := range stacks {
		if stacks[i], err = pool.Get(); err != nil {
			return nil, unavailable(errors.Join(err, stop()))
		}
	}
	play := new(asm.PingPong)
	if err := play.Make(memoryOf(stacks[0]), memoryOf(stacks[1]), words); err != nil {
		return nil, unavailable(errors.Join(err, stop()))
	}
	return measure.Loop(func(n int) error {
		play.Play(n)
		return nil
	}, stop), nil
}
