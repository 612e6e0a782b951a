//go:build linux && !futexportable

package futex

import (
	"context"
	"sync/atomic"
	"time"
)

// bell is a word of its own for each wait that has a context: the thread sleeps on both words.
type bell struct {
	word *uint32
	stop func() bool
}

// lookAgain is how long one sleeps on a shared word before one looks at it, and at its owner, unasked. A process that is
// killed may take a wake-up along that others wait for; nothing else would ever tell them. It costs a few microseconds
// each time.
const lookAgain = 250 * time.Millisecond

// sleep blocks while *addr is val. It returns nil when woken, or for no reason, and an error when the limit is reached. If
// both happen at once, it has been woken: so a wake-up that was counted is never lost.
func (l *limit) sleep(addr *uint32, val uint32, scope Scope) error {
	addr = onHeap(addr)
	if othersFirst() && atomic.LoadUint32(addr) != val {
		return nil
	}
	end, early := l.deadline, false
	if scope == Shared {
		if soon := After(lookAgain); soon < end {
			end, early = soon, true
		}
	}
	err := l.sleepUntil(addr, val, end, scope)
	if early && err == ErrTimeout {
		return nil
	}
	return err
}

func (l *limit) sleepUntil(addr *uint32, val uint32, end Deadline, scope Scope) error {
	if l.ctx == nil {
		return kernelWait(addr, val, matchAny, end.instant(), scope)
	}
	if !FeatureWaitV.Available() {
		return l.nap(addr, val, end, scope)
	}
	l.hang()
	// Of several words that were woken, the kernel names the last.
	words := [...]Word{{l.bell.word, 0, Private}, {addr, val, scope}}
	i, err := kernelWaitAny(words[:], end.instant())
	if err == nil && i == 0 {
		return l.ctx.Err()
	}
	return err
}

// nap sleeps without a bell, and looks at the context in between.
func (l *limit) nap(addr *uint32, val uint32, end Deadline, scope Scope) error {
	for nap := shortNap; ; nap = min(2*nap, longNap) {
		if err := l.ctx.Err(); err != nil {
			return err
		}
		soon := After(nap)
		err := kernelWait(addr, val, matchAny, min(soon, end).instant(), scope)
		if err != ErrTimeout || end <= soon {
			return err
		}
	}
}

// hang hangs the bell up, once.
func (l *limit) hang() {
	if l.bell.word != nil {
		return
	}
	bell := word(0)
	l.bell.word = bell
	l.bell.stop = context.AfterFunc(l.ctx, func() {
		atomic.StoreUint32(bell, 1)
		_, err := kernelWake(bell, 1, Private)
		must(err)
	})
}

// release takes it down. Whoever has slept under a limit ends with it.
func (l *limit) release() {
	if l.bell.stop != nil {
		l.bell.stop()
	}
}

// rouse wakes up to n of those who sleep on addr, and returns how many that were.
func rouse(addr *uint32, n int, scope Scope) (woken int, err error) {
	return kernelWake(onHeap(addr), n, scope)
}

// move has everyone who sleeps on from sleep on to instead, save for wake of them who are woken. It returns ErrChanged if
// *from is not val.
func move(from, to *uint32, val uint32, wake int, scope Scope) (affected int, err error) {
	return kernelRequeue(onHeap(from), onHeap(to), &val, wake, WakeAll, scope)
}
