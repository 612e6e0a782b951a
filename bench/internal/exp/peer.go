package exp

import (
	"context"

	"greenthread/bench/internal/measure"
)

// peer returns the Open function of a variant that is a task of a peer program.
func peer(peers Peers, program, task string) func(context.Context) (measure.Sampler, error) {
	return func(ctx context.Context) (measure.Sampler, error) {
		return peers.Open(ctx, program, task)
	}
}
