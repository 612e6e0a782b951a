package runtime

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"

	"greenthread/asm"
)

// A WaitGroup waits for a number of tasks, with the contract of sync.WaitGroup: the
// zero value counts none, it must not be copied after first use, an Add that begins
// when the counter is zero must happen before the Wait, and what a task does before Done
// happens before the return of a Wait that it ends.
//
// Add and Done are one atomic operation, and so is a Wait that need not wait.
type WaitGroup struct {
	_     noCopy
	state atomic.Int64 // counter, times 2, and waitGroupWaiting
	guard spin         // of queue
	queue queue
}

// waitGroupWaiting: the queue is not empty; changed under the guard only.
const waitGroupWaiting = 1

// Add adds delta, which may be negative, to the counter. When the counter becomes zero,
// all who wait go on. It panics if the counter becomes negative, or is above
// math.MaxInt32, as sync.WaitGroup's does.
func (wg *WaitGroup) Add(delta int) {
	point()
	if delta != int(int32(delta)) {
		panic(fmt.Sprintf("greenthread: WaitGroup.Add of %d, it must be from %d to %d", delta, math.MinInt32, math.MaxInt32))
	}
	state := wg.state.Add(int64(delta) * 2)
	count := state >> 1
	if count < 0 {
		panic(fmt.Sprintf("greenthread: negative WaitGroup counter: %d", count))
	}
	if count > math.MaxInt32 {
		panic(fmt.Sprintf("greenthread: WaitGroup counter %d, it must be at most %d", count, math.MaxInt32))
	}
	if state == waitGroupWaiting {
		wg.release()
	}
}

// Done subtracts one from the counter. It panics if that becomes negative.
func (wg *WaitGroup) Done() { wg.Add(-1) }

// Go counts one more task and starts fn as a thread, of the caller's runtime if it is a
// thread, else of the default one; at its end, also by runtime.Goexit, it calls Done. The
// errors are those of [Runtime.Go]: fn does not run then, and is not counted.
//
//go:noinline
func (wg *WaitGroup) Go(fn func(), options ...Option) error {
	pc := asm.CallerPC()
	if fn == nil {
		return fmt.Errorf("%w: the function is nil", ErrBadOption)
	}
	r, err := here()
	if err != nil {
		return err
	}
	wg.Add(1)
	_, err = r.start(func() {
		defer wg.Done()
		fn()
	}, pc, options)
	if err != nil {
		wg.Done()
	}
	return err
}

// Wait waits until the counter is zero.
func (wg *WaitGroup) Wait() { _ = wg.wait(never) }

// WaitContext is Wait until ctx ends: then the error is its cause. It is nil if
// there is nothing to wait for.
func (wg *WaitGroup) WaitContext(ctx context.Context) error { return wg.wait(ctx) }

func (wg *WaitGroup) wait(ctx context.Context) error {
	point()
	if wg.state.Load()>>1 == 0 {
		return nil
	}
	point()
	w := enlist()
	defer w.discharge()
	wg.guard.lock()
	for {
		state := wg.state.Load()
		if state>>1 == 0 {
			wg.guard.unlock()
			return nil
		}
		if wg.state.CompareAndSwap(state, state|waitGroupWaiting) {
			break
		}
	}
	wg.queue.push(&w.entry)
	if !w.await(&w.entry, &wg.guard, ctx, WaitWaitGroup) {
		if wg.queue.empty() {
			wg.state.And(^waitGroupWaiting)
		}
		wg.guard.unlock()
		return context.Cause(ctx)
	}
	return nil
}

// release wakes all, unless the counter has left zero meanwhile: then those who waited
// have left, and others wait for the next time.
func (wg *WaitGroup) release() {
	point()
	var all chain
	wg.guard.lock()
	if wg.state.CompareAndSwap(waitGroupWaiting, 0) {
		all = wg.queue.popAll()
	}
	wg.guard.unlock()
	wakeAll(all.first)
}
