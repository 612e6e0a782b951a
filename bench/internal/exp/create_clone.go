package exp

import (
	"context"

	"greenthread/asm"
	"greenthread/bench/internal/measure"
)

// createCloneFresh makes a raw kernel thread on a stack mapped for it, joins it
// and unmaps the stack.
func createCloneFresh(context.Context) (measure.Sampler, error) { return onFresh(cloneAndJoin) }

// createClonePooled makes a raw kernel thread on a stack of the pool, joins it
// and puts the stack back.
func createClonePooled(context.Context) (measure.Sampler, error) { return onPooled(cloneAndJoin) }

// cloneAndJoin runs a kernel thread whose code returns at once.
func cloneAndJoin(stack asm.StackMemory) error {
	thread, err := asm.StartThread(stack, asm.BodyReturn(), 0)
	if err != nil {
		return err
	}
	return thread.Join()
}
