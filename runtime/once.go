package runtime

import "sync/atomic"

// A Once does one thing once, with the contract of sync.Once: the zero value has not done
// it yet, it must not be copied after first use, and the return of the function happens
// before the return of any Do. Do after that is one load.
type Once struct {
	_    noCopy
	done atomic.Bool
	m    Mutex
}

// Do calls f if it is the first Do on o; the others wait until f has returned. If f panics, or
// calls runtime.Goexit, it counts as done. An f that calls Do on o waits for ever.
func (o *Once) Do(f func()) {
	point()
	if !o.done.Load() {
		o.do(f)
	}
}

func (o *Once) do(f func()) {
	if !o.m.TryLock() {
		_ = o.m.lockSlow(never, WaitOnce)
	}
	defer o.m.Unlock()
	if !o.done.Load() {
		defer o.done.Store(true)
		f()
	}
}

// OnceFunc returns a function that calls f at its first call only. If f panics, each call
// panics with the same value.
func OnceFunc(f func()) func() {
	get := OnceValue(func() struct{} { f(); return struct{}{} })
	return func() { get() }
}

// OnceValue returns a function that calls f at its first call only, and returns at each
// call what f has returned. If f panics, each call panics with the same value.
func OnceValue[T any](f func() T) func() T {
	var (
		once     Once
		value    T
		returned bool
		panicked any
	)
	return func() T {
		once.Do(func() {
			defer func() {
				f = nil // and what it refers to
				if returned {
					return
				}
				panicked = "greenthread: the function of OnceValue has called runtime.Goexit"
				if v := recover(); v != nil {
					panicked = v
					panic(v)
				}
			}()
			value = f()
			returned = true
		})
		if !returned {
			panic(panicked)
		}
		return value
	}
}
