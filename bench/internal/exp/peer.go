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

// peerOn is peer for a program that is confined to some CPUs.
func peerOn(peers Peers, program, task string, cpus func() ([]int, error)) func(context.Context) (measure.Sampler, error) {
	return func(ctx context.Context) (measure.Sampler, error) {
		on, err := cpus()
		if err != nil {
			return nil, err
		}
		return peers.Open(ctx, program, task, on...)
	}
}
