package runtime

import (
	"runtime"
	"sync/atomic"
	"testing"
)

func TestOnceDoesItOnceBeforeAnyReturns(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		for range rounds(20) {
			var once Once
			value := 0
			w.together(6, func(int) {
				once.Do(func() {
					Yield()
					value++
				})
				if value != 1 {
					t.Errorf("value %d after Do", value)
				}
			})
		}
	})
}

func TestOncePanicCounts(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		var once, exited Once
		w.alone(func() {
			wantMessage(t, "boom", func() { once.Do(func() { panic("boom") }) })
			once.Do(func() { t.Error("done twice") })
		})
		w.alone(func() { exited.Do(runtime.Goexit) })
		exited.Do(func() { t.Error("done twice") })
	})
}

func TestOnceValueKeepsItsValueOrItsPanic(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		var calls atomic.Int32
		get := OnceValue(func() int { Yield(); return int(calls.Add(1)) })
		fail := OnceFunc(func() { panic("boom") })
		exit := OnceFunc(runtime.Goexit)
		w.alone(exit)
		w.together(4, func(int) {
			if v := get(); v != 1 {
				t.Errorf("value %d", v)
			}
			wantMessage(t, "boom", fail)
			wantMessage(t, "greenthread: the function of OnceValue has called runtime.Goexit", exit)
		})
	})
}

func TestOnceAllocatesNothing(t *testing.T) {
	var once Once
	f := func() {}
	wantNoAllocations(t, "Do", func() { once.Do(f) })
}
