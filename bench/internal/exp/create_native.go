package exp

import (
	"context"

	"greenthread/asm"
	"greenthread/bench/internal/measure"
)

// createNativeFresh makes a native context on an 8 MiB stack mapped for it, runs
// it to its end and unmaps the stack.
func createNativeFresh(context.Context) (measure.Sampler, error) { return onFresh(makeAndSwap()) }

// createNativePooled makes a native context on a stack of the pool, runs it to
// its end and puts the stack back.
func createNativePooled(context.Context) (measure.Sampler, error) { return onPooled(makeAndSwap()) }

// makeAndSwap returns what runs a native context whose code returns at once.
func makeAndSwap() func(asm.StackMemory) error {
	home, away := new(asm.NativeContext), new(asm.NativeContext)
	return func(stack asm.StackMemory) error {
		if err := asm.MakeContext(away, stack, asm.BodyReturn(), 0, home); err != nil {
			return err
		}
		asm.SwapContext(home, away)
		return nil
	}
}
