package runtime

import (
	"context"
	"fmt"

	"greenthread/asm"
)

// A Group runs functions as threads that work on one thing, and waits for all of them, in
// the manner of golang.org/x/sync/errgroup: the first error counts, and ends the context
// of WithContext, if there is one. A panic in one of the functions is one of Wait. The
// zero value has no limit and no context. It must not be copied after first use.
type Group struct {
	_      noCopy
	cancel context.CancelCauseFunc
	limit  *Semaphore
	tasks  WaitGroup

	first Mutex // guards err and panic
	err   error
	panic *PanicError
}

// WithContext returns a group, and a context that ends, with the error as its cause, when a
// function of the group returns one or panics, and at the latest when Wait returns.
func WithContext(ctx context.Context) (*Group, context.Context) {
	ctx, cancel := context.WithCancelCause(ctx)
	return &Group{cancel: cancel}, ctx
}

// SetLimit lets at most n functions run at the same time; a negative n is no limit. It
// panics if n is 0, and while functions of the group run.
func (g *Group) SetLimit(n int) {
	if n == 0 {
		panic("greenthread: Group.SetLimit of 0: no function could run")
	}
	if running := g.tasks.state.Load() >> 1; running != 0 {
		panic(fmt.Sprintf("greenthread: Group.SetLimit while %d functions run", running))
	}
	g.limit = nil
	if n > 0 {
		g.limit = NewSemaphore(n)
	}
}

// Go starts fn as a thread, of the caller's runtime if it is a thread, else of the default one.
// It waits first while as many run as SetLimit allows. If no thread can be started, that is the
// same as if fn had returned the error, which is one of [Runtime.Go]; runtime.Goexit
// in fn is as if it had returned ErrGoexit.
//
//go:noinline
func (g *Group) Go(fn func() error, options ...Option) {
	pc := asm.CallerPC()
	if g.limit != nil {
		_ = g.limit.Acquire(context.Background(), 1)
	}
	g.start(fn, pc, options)
}

// TryGo is Go where that need not wait; else it returns false, and starts nothing.
//
//go:noinline
func (g *Group) TryGo(fn func() error, options ...Option) bool {
	pc := asm.CallerPC()
	if g.limit != nil && !g.limit.TryAcquire(1) {
		return false
	}
	g.start(fn, pc, options)
	return true
}

// Wait waits until all functions have ended, and returns the first error of one, nil if there
// was none. If one has panicked, Wait panics with a [*PanicError].
func (g *Group) Wait() error {
	g.tasks.Wait()
	g.first.Lock()
	defer g.first.Unlock()
	if g.cancel != nil {
		g.cancel(g.err)
	}
	if g.panic != nil {
		panic(g.panic)
	}
	return g.err
}

// start is Go, called at pc, once that need not wait.
func (g *Group) start(fn func() error, pc uintptr, options []Option) {
	g.tasks.Add(1)
	r, err := here()
	if fn == nil {
		err = fmt.Errorf("%w: the function is nil", ErrBadOption)
	}
	if err == nil {
		_, err = r.start(func() { guarded(fn, g.ended) }, pc, options)
	}
	if err != nil {
		g.ended(err, nil)
	}
}

// ended notes how a function has ended.
func (g *Group) ended(err error, p *PanicError) {
	if err != nil {
		g.first.Lock()
		if g.panic == nil {
			g.panic = p
		}
		if g.err == nil {
			if g.err = err; p != nil {
				g.err = p
			}
			if g.cancel != nil {
				g.cancel(g.err)
			}
		}
		g.first.Unlock()
	}
	if g.limit != nil {
		g.limit.Release(1)
	}
	g.tasks.Done()
}
