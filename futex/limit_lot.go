//go:build !linux || futexportable

package futex

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

var errShared = fmt.Errorf("futex: memory shared between processes: %w here", errors.ErrUnsupported)

// bell is not needed: a sleeper waits for its context by itself.
type bell struct{}

// lot is what the kernel's futexes are on Linux, for private words only: a queue of sleepers for each word that has any,
// who are goroutines here.
var lot = struct {
	sync.Mutex
	queues map[*uint32][]*lotSleeper
}{queues: map[*uint32][]*lotSleeper{}}

type lotSleeper struct {
	addr  *uint32 // the queue it is in, nil when it has been woken
	woken chan struct{}
}

// sleep blocks while *addr is val. It returns nil when woken, or for no reason, and an error when the limit is reached. If
// both happen at once, it has been woken.
func (l *limit) sleep(addr *uint32, val uint32, scope Scope) error {
	if scope == Shared {
		return errShared
	}
	addr = onHeap(addr)
	lot.Lock()
	if atomic.LoadUint32(addr) != val {
		lot.Unlock()
		return nil
	}
	if err := l.over(); err != nil {
		lot.Unlock()
		return err
	}
	s := &lotSleeper{addr, make(chan struct{})}
	lot.queues[addr] = append(lot.queues[addr], s)
	lot.Unlock()

	var done <-chan struct{}
	if l.ctx != nil {
		done = l.ctx.Done()
	}
	for {
		var alarm <-chan time.Time
		if l.deadline != Never {
			timer := time.NewTimer(l.deadline.Until())
			defer timer.Stop()
			alarm = timer.C
		}
		select {
		case <-s.woken:
			return nil
		case <-done:
		case <-alarm:
		}
		if err := l.over(); err != nil { // not so where another clock has run ahead
			return s.leave(err)
		}
	}
}

// leave takes s out of the queue it is in by now, and returns err, or nil if it was woken before that.
func (s *lotSleeper) leave(err error) error {
	lot.Lock()
	defer lot.Unlock()
	if s.addr == nil {
		return nil
	}
	queue := lot.queues[s.addr]
	keep(s.addr, slices.DeleteFunc(queue, func(o *lotSleeper) bool { return o == s }))
	return err
}

func keep(addr *uint32, queue []*lotSleeper) {
	if len(queue) == 0 {
		delete(lot.queues, addr)
	} else {
		lot.queues[addr] = queue
	}
}

func (l *limit) release() {}

// rouse wakes up to n of those who sleep on addr, and returns how many that were.
func rouse(addr *uint32, n int, scope Scope) (woken int, err error) {
	if scope == Shared {
		return 0, errShared
	}
	lot.Lock()
	defer lot.Unlock()
	return lotWake(addr, n), nil
}

func lotWake(addr *uint32, n int) int {
	queue := lot.queues[addr]
	n = min(n, len(queue))
	for _, s := range queue[:n] {
		s.addr = nil
		close(s.woken)
	}
	keep(addr, queue[n:])
	return n
}

// move has everyone who sleeps on from sleep on to instead, save for wake of them who are woken. It returns ErrChanged if
// *from is not val.
func move(from, to *uint32, val uint32, wake int, scope Scope) (affected int, err error) {
	if scope == Shared {
		return 0, errShared
	}
	lot.Lock()
	defer lot.Unlock()
	if atomic.LoadUint32(from) != val {
		return 0, ErrChanged
	}
	affected = lotWake(from, wake)
	rest := lot.queues[from]
	for _, s := range rest {
		s.addr = to
	}
	keep(to, append(lot.queues[to], rest...))
	delete(lot.queues, from)
	return affected + len(rest), nil
}
