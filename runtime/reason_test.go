package runtime

import (
	"context"
	"strings"
	"testing"
	"time"
)

// TestEachWaitSaysWhatFor has a thread wait at everything that there is to wait at: Waits, and
// the dump, say so.
func TestEachWaitSaysWhatFor(t *testing.T) {
	watch(t)
	r := runtimeOf(t, 1)
	ctx, cancel := context.WithCancel(context.Background()) // ends those that nobody else ends
	defer cancel()
	var m Mutex
	m.Lock()
	var written, read RWMutex
	written.Lock()
	read.RLock()
	var wg WaitGroup
	wg.Add(1)
	var once Once
	begun, release := make(chan bool), make(chan bool)
	go once.Do(func() { close(begun); <-release })
	<-begun
	var cond Cond
	cond.L = new(Mutex)
	values := NewChan[int](0)
	parked := start(t, r, Park)
	future := Spawn(func() (int, error) { <-release; return 1, nil })
	threads := map[Reason]*Thread{}
	for why, wait := range map[Reason]func(){
		WaitPark:         func() { ParkContext(ctx) },
		WaitSleep:        func() { SleepContext(ctx, time.Hour) },
		WaitJoin:         func() { parked.Join(ctx) },
		WaitMutex:        func() { m.Lock() },
		WaitRWMutexRead:  func() { written.RLock() },
		WaitRWMutexWrite: func() { read.Lock() },
		WaitCond:         func() { cond.L.Lock(); cond.WaitContext(ctx); cond.L.Unlock() },
		WaitWaitGroup:    func() { wg.Wait() },
		WaitOnce:         func() { once.Do(func() {}) },
		WaitSemaphore:    func() { new(Semaphore).Acquire(ctx, 1) },
		WaitBarrier:      func() { NewBarrier(2).Wait(ctx) },
		WaitSend:         func() { NewChan[int](0).SendContext(ctx, 1) },
		WaitReceive:      func() { values.Recv() },
		WaitSelect:       func() { Select(NewChan[int](0).SendCase(1), DoneCase(ctx)) },
		WaitFuture:       func() { future.Get(context.Background()) },
	} {
		threads[why] = start(t, r, wait)
	}
	if len(threads) != len(reasons)-1 {
		t.Errorf("%d of %d reasons to wait are tried", len(threads), len(reasons)-1)
	}
	for why, th := range threads {
		for th.Waits() == NotWaiting {
			time.Sleep(10 * time.Microsecond)
		}
		if got := th.Waits(); got != why || th.State() != StateWaiting {
			t.Errorf("%v, waits for %q, want %q", th.State(), got, why)
		}
	}
	_, dumped := dumpOf(t, r)
	for why, th := range threads {
		if text := dumped[th.ID()]; !strings.Contains(text, ": waiting ("+why.String()+") for ") {
			t.Errorf("%v: the dump has\n%s", why, text)
		}
	}
	cancel()
	close(release)
	m.Unlock()
	written.Unlock()
	read.RUnlock()
	wg.Done()
	values.Close()
	parked.Unpark()
	for why, th := range threads {
		join(t, th)
		if th.Waits() != NotWaiting || th.State() != StateEnded {
			t.Errorf("%v: at the end %v, %q", why, th.State(), th.Waits())
		}
	}
	join(t, parked)
}
