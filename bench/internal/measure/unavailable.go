package measure

import (
	"context"
	"fmt"
)

// Unavailable is the error of a variant that cannot run here, through no fault
// of its own: no compiler, no library, not built yet. Its text is the reason.
type Unavailable string

func (u Unavailable) Error() string { return string(u) }

// Unavailablef formats a reason.
func Unavailablef(format string, args ...any) Unavailable {
	return Unavailable(fmt.Sprintf(format, args...))
}

// Missing returns an Open function of a variant that is never available.
func Missing(reason string) func(context.Context) (Sampler, error) {
	return func(context.Context) (Sampler, error) { return nil, Unavailable(reason) }
}
