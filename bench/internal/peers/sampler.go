package peers

import (
	"context"

	"greenthread/bench/internal/measure"
)

// A sampler lets a peer take its samples itself.
type sampler struct {
	process *process
	task    string
}

// Sample has the peer measure; the time is its own.
func (s *sampler) Sample(ctx context.Context, _ measure.Clock, n int) (measure.Reading, error) {
	return s.process.ask(ctx, s.task, n)
}

func (s *sampler) Close() error { return s.process.close() }
