package exp

import (
	"context"

	"greenthread/bench/internal/measure"
)

// createCloneFresh makes a raw kernel thread on a stack mapped for it, joins it
// and unmaps the stack.
func createCloneFresh(context.Context) (measure.Sampler, error) {
	return nil, notBuiltYet
}

// createClonePooled makes a raw kernel thread on a stack of the pool, joins it
// and puts the stack back.
func createClonePooled(context.Context) (measure.Sampler, error) {
	return nil, notBuiltYet
}
