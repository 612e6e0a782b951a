package exp

import (
	"context"
	"errors"

	green "greenthread/runtime"
)

// newGreenFutexTest makes the test of green threads: on as many carriers as there are by default, with the mutex and the
// condition of package runtime.
func newGreenFutexTest() (t futexTest, err error) {
	r, err := green.New(green.Config{}) // it ends with the process
	if err != nil {
		return t, err
	}
	m := new(green.Mutex)
	t.lock = func() error { m.Lock(); return nil }
	t.unlock = func() error { m.Unlock(); return nil }
	for i := range t.conditions {
		c := green.NewCond(m)
		t.conditions[i] = futexCondition{
			wait:      func() error { c.Wait(); return nil },
			signal:    func() error { c.Signal(); return nil },
			broadcast: func() error { c.Broadcast(); return nil },
		}
	}
	t.run = func(n int, play func(i int) error) error {
		errs := make([]error, n)
		threads := make([]*green.Thread, n)
		for i := range threads {
			thread, err := r.Go(func() { errs[i] = play(i) })
			if err != nil {
				return err // those before it wait for ever; but now the process ends
			}
			threads[i] = thread
		}
		for _, thread := range threads {
			if err := thread.Join(context.Background()); err != nil {
				return err
			}
		}
		return errors.Join(errs...)
	}
	return t, nil
}
