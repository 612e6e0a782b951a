package exp

import (
	"context"

	"greenthread/bench/internal/measure"
)

// createNativeFresh makes a native context on an 8 MiB stack mapped for it, runs
// it to its end and unmaps the stack.
func createNativeFresh(context.Context) (measure.Sampler, error) {
	return nil, notBuiltYet
}

// createNativePooled makes a native context on a stack of the pool, runs it to
// its end and puts the stack back.
func createNativePooled(context.Context) (measure.Sampler, error) {
	return nil, notBuiltYet
}
