package runtime

import (
	"context"
	"fmt"
	"sync/atomic"

	"greenthread/asm"
)

// A Future is the result of a function that runs, or has run, as a thread: [Spawn] starts
// it, and Get waits for it. What the function does happens before the return of Get.
type Future[T any] struct {
	value T
	err   error
	panic *PanicError

	settled atomic.Bool // set under the guard
	guard   spin        // of the queue and of done
	queue   queue
	done    chan struct{} // nil until somebody asks for it
}

// Spawn starts fn as a thread, of the caller's runtime if it is a thread, else of the default
// one, and does not wait for it. If it cannot be started, Get returns the error, which is one
// of [Runtime.Go].
//
//go:noinline
func Spawn[T any](fn func() (T, error), options ...Option) *Future[T] {
	pc := asm.CallerPC()
	f := new(Future[T])
	if fn == nil {
		f.settle(fmt.Errorf("%w: the function is nil", ErrBadOption), nil)
		return f
	}
	r, err := here()
	if err == nil {
		_, err = r.start(func() {
			guarded(func() (err error) {
				f.value, err = fn()
				return err
			}, f.settle)
		}, pc, options)
	}
	if err != nil {
		f.settle(err, nil)
	}
	return f
}

// Get waits until the function has ended, and returns what it has returned. It may be
// called by many, and again. If ctx ends first, the error is its cause; after the end of the
// function ctx does not matter. A panic of the function is one of each Get, with a
// [*PanicError]. The error of a function that has called runtime.Goexit is ErrGoexit.
func (f *Future[T]) Get(ctx context.Context) (T, error) {
	point()
	if !f.settled.Load() && !f.wait(ctx) {
		var zero T
		return zero, context.Cause(ctx)
	}
	if f.panic != nil {
		panic(f.panic)
	}
	return f.value, f.err
}

// Done returns a channel that is closed when the function has ended. A thread that waits
// for it blocks in Go, with its carrier; Get does not.
func (f *Future[T]) Done() <-chan struct{} {
	f.guard.lock()
	defer f.guard.unlock()
	if f.done == nil {
		f.done = make(chan struct{})
		if f.settled.Load() {
			close(f.done)
		}
	}
	return f.done
}

func (f *Future[T]) wait(ctx context.Context) bool {
	w := enlist()
	defer w.discharge()
	f.guard.lock()
	if f.settled.Load() {
		f.guard.unlock()
		return true
	}
	f.queue.push(&w.entry)
	if w.await(&w.entry, &f.guard, ctx, WaitFuture) {
		return f.settled.Load() // after the function's end
	}
	f.guard.unlock()
	return false
}

func (f *Future[T]) settle(err error, p *PanicError) {
	f.err, f.panic = err, p
	f.guard.lock()
	f.settled.Store(true)
	all := f.queue.popAll()
	if f.done != nil {
		close(f.done)
	}
	f.guard.unlock()
	wakeAll(all.first)
}
