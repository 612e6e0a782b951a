package exp

import (
	"context"

	"greenthread/bench/internal/measure"
)

// switchCoroutine resumes a coroutine that yields at once.
func switchCoroutine(context.Context) (measure.Sampler, error) {
	return nil, notBuiltYet
}

// switchPull calls the next function of our Pull, over an endless sequence.
func switchPull(context.Context) (measure.Sampler, error) {
	return nil, notBuiltYet
}

// switchThread has two green threads of one carrier yield to each other.
func switchThread(context.Context) (measure.Sampler, error) {
	return nil, notBuiltYet
}
