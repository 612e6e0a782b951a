package runtime

import (
	"fmt"
	"runtime"

	"greenthread/asm"
)

// Do runs fn on a pooled stack and returns when it has ended: for deep
// recursion, whose overflow becomes an error to recover from, or to be measured.
// The error says why no stack could be had; fn has not run then. If fn panics,
// Do panics with a *PanicError; if it calls runtime.Goexit, Do does. On a warm
// thread it costs no allocation and no system call.
//
//go:noinline
func Do(fn func(), options ...Option) error {
	var c config
	if len(options) > 0 {
		c = configOf(options)
	}
	if fn == nil {
		c.fail(fmt.Errorf("%w: the function is nil", ErrBadOption))
	}
	if c.err != nil {
		return c.err
	}
	t, err := threadFor(&c)
	if err != nil {
		return err
	}
	var parent asm.Parent
	if t.native {
		parent = asm.Here(asm.CallerPC())
	}
	t.prepare(fn, c.name, parent)
	switch e := t.enter(); e {
	case eventReturn:
		finish(t, e)
	case eventGoexit:
		finish(t, e)
		runtime.Goexit()
	case asm.EventBubble: // threadFor has looked, so this cannot be
		return ErrBubble
	default:
		if failure := finish(t, e); failure != nil {
			panic(failure)
		}
	}
	return nil
}
