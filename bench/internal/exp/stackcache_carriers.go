package exp

import "runtime"

// carriers are kernel threads on which parts of a trace are played, one after the
// other. The first one is the caller's.
type carriers struct {
	work map[int]chan func()
	done chan struct{}
}

func newCarriers() *carriers {
	return &carriers{work: map[int]chan func(){}, done: make(chan struct{})}
}

// run runs f on a carrier, and waits for it.
func (c *carriers) run(carrier int, f func()) {
	if carrier == 0 {
		f()
		return
	}
	carrier = 1 + carrier%8 // a trace may have been recorded on a larger machine
	work := c.work[carrier]
	if work == nil {
		work = make(chan func())
		c.work[carrier] = work
		go func() {
			runtime.LockOSThread()
			for f := range work {
				f()
				c.done <- struct{}{}
			}
			runtime.UnlockOSThread()
		}()
	}
	work <- f
	<-c.done
}

// close ends the others.
func (c *carriers) close() {
	for _, work := range c.work {
		close(work)
	}
}
