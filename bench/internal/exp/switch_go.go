package exp

import (
	"context"
	"iter"
	"runtime"
	"sync/atomic"

	"greenthread/bench/internal/measure"
)

// switchIterPull calls the next function of iter.Pull, over an endless sequence:
// one call goes to the sequence's coroutine and comes back.
func switchIterPull(context.Context) (measure.Sampler, error) {
	next, stop := iter.Pull(endless)
	return measure.Loop(func(n int) error {
		for range n {
			next()
		}
		return nil
	}, func() error { stop(); return nil }), nil
}

// endless is the sequence behind iter.Pull, and behind our Pull.
func endless(yield func(struct{}) bool) {
	for yield(struct{}{}) {
	}
}

// switchGosched has two goroutines yield to each other by runtime.Gosched. They
// must share one P for that: with a P each, both would yield to themselves.
func switchGosched(context.Context) (measure.Sampler, error) {
	return onOneP(measure.Loop(func(n int) error {
		var stop atomic.Bool
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for !stop.Load() {
				runtime.Gosched()
			}
		}()
		for range n {
			runtime.Gosched()
		}
		stop.Store(true)
		<-ended
		return nil
	}, nil)), nil
}

// switchChannel has two goroutines hand a token to and fro through two channels
// without a buffer, on one P: the fastest case of a channel, as no other kernel
// thread has to be woken.
func switchChannel(context.Context) (measure.Sampler, error) {
	there, back := make(chan struct{}), make(chan struct{})
	go func() {
		for range there {
			back <- struct{}{}
		}
		close(back)
	}()
	return onOneP(measure.Loop(func(n int) error {
		for range n {
			there <- struct{}{}
			<-back
		}
		return nil
	}, func() error { close(there); <-back; return nil })), nil
}
