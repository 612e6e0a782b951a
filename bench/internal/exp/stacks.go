package exp

import (
	"errors"

	"greenthread/asm"
	"greenthread/bench/internal/measure"
	"greenthread/stackpool"
)

// freshStack is the size of a stack that is mapped for one thread alone, as
// in the C program of the post.
const freshStack = 8 << 20

// memoryOf is a pool's stack as the stack of native code.
func memoryOf(s *stackpool.Stack) asm.StackMemory {
	return asm.StackMemory{Lo: s.Bottom(), Hi: s.Top()}
}

// onFresh measures use, on a stack that is mapped before it and unmapped after
// it each time.
func onFresh(use func(asm.StackMemory) error) (measure.Sampler, error) {
	once := func() error {
		stack, err := mapFresh()
		if err != nil {
			return err
		}
		if err := use(stack); err != nil {
			return err // whatever runs there: it stays mapped
		}
		return unmapFresh(stack)
	}
	if err := once(); err != nil {
		return nil, unavailable(err)
	}
	return measure.Loop(func(n int) error {
		for range n {
			if err := once(); err != nil {
				return err
			}
		}
		return nil
	}, nil), nil
}

// onPooled measures use, on a stack that is taken from a pool before it and put
// back after it.
func onPooled(use func(asm.StackMemory) error) (measure.Sampler, error) {
	pool, err := stackpool.New(stackpool.Config{Name: "bench"})
	if err != nil {
		return nil, unavailable(err)
	}
	once := func() error {
		stack, err := pool.Get()
		if err != nil {
			return err
		}
		if err := use(memoryOf(stack)); err != nil {
			return err // whatever runs there: it is not put back
		}
		return pool.Put(stack)
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
	}, pool.Close), nil
}

// unavailable makes an error of the first try the reason why a variant cannot
// run, if it lies in the system.
func unavailable(err error) error {
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, asm.ErrShadowStack) {
		return measure.Unavailable(err.Error())
	}
	return err
}
