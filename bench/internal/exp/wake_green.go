package exp

import (
	"context"
	"errors"
	"time"

	"greenthread/bench/internal/measure"
	"greenthread/bench/internal/pin"
	"greenthread/futex"
	green "greenthread/runtime"
)

// A Park of ours returns straight to who has called it, and each further call in
// between would cost a return that the CPU predicts wrongly. So the loops here call it
// themselves, as a program would.

// greenSides are two green threads; each is known once it has run.
type greenSides struct{ threads [2]*green.Thread }

// wakeGreenOne has two green threads of one carrier park and unpark each other.
func wakeGreenOne() (rally, error) {
	r, err := green.New(green.Config{Carriers: 1})
	if err != nil {
		return rally{}, err
	}
	return parkRally(r, r), nil
}

// wakeGreenAcross has two green threads of different carriers do that. These are of
// two runtimes, as within one a thread goes to where it was woken from; each has a CPU of
// its own, if there are two.
func wakeGreenAcross() (rally, error) {
	cpus, err := pin.Allowed()
	if err != nil {
		return rally{}, unavailable(err)
	}
	var rs [2]*green.Runtime
	for side := range rs {
		rs[side], err = green.New(green.Config{Carriers: 1, CPUs: []int{cpus[min(side, len(cpus)-1)]}})
		if err != nil {
			return rally{}, err
		}
	}
	return parkRally(rs[0], rs[1]), nil
}

// parkRally is a rally of green threads of two runtimes, or of one.
func parkRally(first, second *green.Runtime) rally {
	sides := new(greenSides)
	return rally{
		start: [2]func(func()) (func() error, error){sides.on(first, 0), sides.on(second, 1)},
		serve: func(n int) error {
			other := sides.threads[1]
			for range n {
				other.Unpark()
				green.Park()
			}
			return nil
		},
		time: func(clock measure.Clock, each []time.Duration) error {
			other := sides.threads[1]
			for i := range each {
				start := clock.Now()
				other.Unpark()
				green.Park()
				each[i] = clock.Since(start)
			}
			return nil
		},
		reply: func(n int) error {
			green.Park()
			other := sides.threads[0] // known now
			for range n - 1 {
				other.Unpark()
				green.Park()
			}
			other.Unpark()
			return nil
		},
		end: func() error {
			return errors.Join(first.Close(context.Background()), second.Close(context.Background()))
		},
	}
}

// on starts a side on a green thread.
func (s *greenSides) on(r *green.Runtime, side int) func(play func()) (func() error, error) {
	return func(play func()) (func() error, error) {
		known := make(chan struct{})
		t, err := r.Go(func() {
			s.threads[side] = green.Current()
			close(known)
			play()
		})
		if err != nil {
			return nil, err
		}
		<-known
		return func() error { return t.Join(context.Background()) }, nil
	}
}

// wakeGreenKernel has a kernel thread and a green thread wake each other: the one
// sleeps on a Parker, the other parks, and its carrier with it, as there is nothing
// else to run.
func wakeGreenKernel() (rally, error) {
	cpus, err := pin.Allowed()
	if err != nil {
		return rally{}, unavailable(err)
	}
	r, err := green.New(green.Config{Carriers: 1, CPUs: cpus[len(cpus)-1:]})
	if err != nil {
		return rally{}, err
	}
	sides := new(greenSides)
	parker := new(futex.Parker)
	play := rallyOf(onKernelThread,
		func(side int) error {
			if side == 0 {
				parker.Unpark()
			} else {
				sides.threads[1].Unpark()
			}
			return nil
		},
		func(side int) error {
			if side == 0 {
				parker.Park()
			} else {
				green.Park()
			}
			return nil
		})
	play.start[1] = sides.on(r, 1)
	play.end = func() error { return r.Close(context.Background()) }
	return play, nil
}
