// Package peers compiles and runs the variants written in C and C++.
package peers

import (
	"context"

	"greenthread/bench/internal/measure"
)

// A Shop is where peers come from.
type Shop struct{}

func NewShop() *Shop                     { return &Shop{} }
func (*Shop) Close()                     {}
func (*Shop) CC(context.Context) string  { return "none" }
func (*Shop) CXX(context.Context) string { return "none" }

// Open starts a peer.
func (*Shop) Open(ctx context.Context, program, task string) (measure.Sampler, error) {
	return nil, measure.Unavailable("not built yet")
}
