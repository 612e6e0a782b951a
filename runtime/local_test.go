package runtime

import (
	"sync/atomic"
	"testing"
)

func TestLocalIsEachThreadsOwn(t *testing.T) {
	var begun atomic.Int32
	var plain Local[string]
	counted := NewLocal(func() int { return int(begun.Add(1)) })
	for _, carriers := range []int{1, 2} {
		r := runtimeOf(t, carriers)
		var threads []*Thread
		for i := range 10 {
			threads = append(threads, start(t, r, func() {
				if v := plain.Get(); v != "" {
					t.Errorf("begins with %q", v)
				}
				mine := counted.Get()
				for range 10 {
					name := string(rune('a' + i))
					plain.Set(name)
					Yield()
					if plain.Get() != name || counted.Get() != mine {
						t.Errorf("%q, %d; want %q, %d", plain.Get(), counted.Get(), name, mine)
					}
				}
				counted.Set(-1)
				if counted.Get() != -1 {
					t.Error("not set")
				}
			}))
		}
		join(t, threads...)
	}
	if begun.Load() != 20 {
		t.Errorf("begun %d times in 20 threads", begun.Load())
	}
	if counted.Get() != 21 || counted.Get() != 22 || plain.Get() != "" {
		t.Error("a goroutine keeps a value")
	}
	wantMessage(t, "greenthread: Local.Set is called outside of a green thread", func() { plain.Set("x") })
}
