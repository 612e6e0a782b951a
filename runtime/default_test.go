package runtime

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
)

// TestDefaultRuntimeStartsAtItsFirstUse, not before, and not by being looked at; it is one, and
// is not closed.
func TestDefaultRuntimeStartsAtItsFirstUse(t *testing.T) {
	out, parent := inChild(t)
	if parent {
		if out != "" {
			t.Error(out)
		}
		return
	}
	wrong := func(format string, a ...any) { fmt.Printf(format+"\n", a...) }
	var b bytes.Buffer
	if err := Dump(&b); err != nil || startedDefault.Load() != nil {
		wrong("Dump has started it: %v", err)
	}
	ran := false
	if err := Run(func() { ran = Current() != nil }); err != nil || !ran {
		wrong("Run: %v, it ran: %v", err, ran)
	}
	r, err := Default()
	if err != nil || startedDefault.Load() != r {
		wrong("it is not the default one: %v", err)
	}
	th, err := Go(func() {})
	if err != nil || th.task.rt != r {
		wrong("Go is of another runtime: %v", err)
	}
	if err := r.Close(context.Background()); !errors.Is(err, errors.ErrUnsupported) {
		wrong("Close: %v", err)
	}
	if err := Run(func() {}); err != nil {
		wrong("after Close: %v", err)
	}
	os.Exit(2) // as inChild expects
}
