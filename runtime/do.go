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
	c := defaultCache.Load()
	if c == nil || len(options) > 0 || fn == nil {
		return doSlow(fn, options, asm.CallerPC())
	}
	t, err := c.claim()
	if err != nil {
		if err == ErrBubble {
			return doSlow(fn, options, 0)
		}
		return err
	}
	t.prepare(fn, "", asm.Here(asm.CallerPC()))
	if asm.ShortWay && t.hot {
		asm.EnterShort(&t.ctx) // when fn has returned, it is Do that returns
	} else {
		t.ctx.Enter()
	}
	return t.arriveDo(t.ctx.Event())
}

// doSlow is Do with options, on the portable backend, or for the first time; pc
// is where it was called.
func doSlow(fn func(), options []Option, pc uintptr) error {
	c := configOf(options)
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
		parent = asm.Here(pc)
	}
	t.prepare(fn, c.name, parent)
	return t.arriveDo(t.enter())
}

// landDo is what the end of fn is for a Do that went the short way, unless fn
// has simply returned.
func landDo(c *asm.Context) error { return threadOf(c).arriveDo(c.Event()) }

// arriveDo decides what the event means with which fn has ended.
func (t *thread) arriveDo(e asm.Event) error {
	if e == asm.EventBubble {
		fn := t.fn
		t.cache.put(t)
		return doSlow(fn, nil, 0)
	}
	failure := finish(t, e)
	switch {
	case failure != nil:
		panic(failure)
	case e == eventGoexit:
		runtime.Goexit()
	}
	return nil
}
