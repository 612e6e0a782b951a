package runtime

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"
)

// TestAThreadThatHasEndedIsNotTakenForAnother has one task serve two threads, and asks the
// first about everything while the second is alive.
func TestAThreadThatHasEndedIsNotTakenForAnother(t *testing.T) {
	watch(t)
	r := runtimeOf(t, 1)
	join(t, start(t, r, func() {
		old := start(t, r, func() {})
		done := old.Done()
		join(t, old)
		parked := false
		young := start(t, r, func() {
			Park()
			parked = true
		})
		if old.task != young.task {
			t.Fatal("the task is not used again")
		}
		for young.State() != StateWaiting {
			Yield()
		}
		if old == young || old.ID() == young.ID() {
			t.Errorf("both are number %d", old.ID())
		}
		old.Unpark()
		Yield()
		if parked || young.State() != StateWaiting {
			t.Error("an Unpark of the first has woken the second")
		}
		if s := old.State(); s != StateEnded {
			t.Errorf("the first is %v", s)
		}
		if why := old.Waits(); why != NotWaiting {
			t.Errorf("the first waits for %v", why)
		}
		if d := old.Waited(); d != 0 {
			t.Errorf("the first has waited for %v", d)
		}
		if _, err := old.HighWater(); !errors.Is(err, ErrFinished) {
			t.Errorf("the stack of the first: %v", err)
		}
		if f := old.Creator(); f.PC != 0 || old.Labels() != nil || old.Name() != "" {
			t.Errorf("the first has a creator %v, labels %v or a name %q", f, old.Labels(), old.Name())
		}
		if young.Creator().PC == 0 {
			t.Error("the second has no creator")
		}
		join(t, old) // at once
		<-done
		<-old.Done()
		select {
		case <-young.Done():
			t.Error("the second is done")
		default:
		}
		young.Unpark()
		join(t, young)
	}))
}

// TestWhatIsAskedAfterTheEndIsNotUsedAgain: the panic and the name of a thread stay.
func TestWhatIsAskedAfterTheEndIsNotUsedAgain(t *testing.T) {
	watch(t)
	r := runtimeOf(t, 1)
	join(t, start(t, r, func() {
		old := start(t, r, func() { panicsIn("kept") }, WithPanicInJoin(), WithName("broken"))
		_ = old.Join(context.Background())
		for range 100 {
			if young := start(t, r, func() {}); young.task == old.task {
				t.Fatal("its task is used again")
			} else {
				join(t, young)
			}
		}
		var p *PanicError
		if err := old.Join(context.Background()); !errors.As(err, &p) || p.Value != "kept" {
			t.Errorf("Join says %v", err)
		}
		if old.Name() != "broken" {
			t.Errorf("its name is %q", old.Name())
		}
	}))
}

// TestStressOfReuse has goroutines ask and wake threads, most of which have ended, while
// their tasks are used again and again. No Park may return without an Unpark of its own.
func TestStressOfReuse(t *testing.T) {
	watch(t)
	r := runtimeOf(t, 2)
	var known [64]atomic.Pointer[Thread]
	var stop atomic.Bool
	attackers := make(chan struct{})
	for i := range 3 {
		go func() {
			defer func() { attackers <- struct{}{} }()
			for n := i; !stop.Load(); n++ {
				th := known[n%len(known)].Load()
				if th == nil {
					continue
				}
				switch n % 5 {
				case 0:
					th.Unpark()
				case 1:
					ctx, cancel := context.WithTimeout(context.Background(), 50*time.Microsecond)
					_ = th.Join(ctx)
					cancel()
				case 2:
					if th.State() == StateEnded && !th.over() {
						t.Error("it has ended, and goes on")
					}
					th.Waits()
					th.Waited()
					th.Creator()
					th.Labels()
				case 3:
					select {
					case <-th.Done():
						if th.State() != StateEnded {
							t.Error("it is done, and goes on")
						}
					default:
					}
				case 4:
					for th := range r.Threads() {
						if th.ID() == 0 {
							t.Error("a thread without a number")
						}
						break
					}
				}
			}
		}()
	}
	// Those that end at once are known; those that park take over their tasks, and are not.
	// So nobody but their maker may wake them.
	end := time.Now().Add(stressFor() / 4)
	rounds, reused := 0, 0
	join(t, start(t, r, func() {
		for (time.Now().Before(end) || reused == 0) && !t.Failed() {
			var brief [32]*Thread
			for i := range brief {
				brief[i] = start(t, r, func() {})
				known[i*2].Store(brief[i])
				known[i*2+1].Store(brief[i])
			}
			join(t, brief[:]...)
			var parked [32]*Thread
			var allowed, woken [32]atomic.Bool
			for i := range parked {
				parked[i] = start(t, r, func() {
					if i%2 == 0 {
						Park()
					} else if !ParkTimeout(time.Hour) {
						t.Error("an hour has passed")
					}
					if !allowed[i].Load() {
						t.Error("Park has returned without an Unpark")
					}
					woken[i].Store(true)
				})
				for _, b := range brief {
					if b.task == parked[i].task {
						reused++
					}
				}
			}
			for range 10 {
				Yield()
			}
			for i, th := range parked {
				allowed[i].Store(true)
				th.Unpark()
			}
			join(t, parked[:]...)
			rounds++
		}
	}))
	stop.Store(true)
	for range 3 {
		<-attackers
	}
	t.Logf("%d rounds, %d tasks used again", rounds, reused)
	if reused == 0 {
		t.Error("no task was used again: nothing was tested")
	}
}

// TestARefusedThreadIsNotListed: the task of a thread that could not be started may be in a
// queue's memory, from its last thread.
func TestARefusedThreadIsNotListed(t *testing.T) {
	watch(t)
	r, err := New(Config{Carriers: 1})
	if err != nil {
		t.Fatal(err)
	}
	join(t, start(t, r, func() {
		for range 3 {
			join(t, start(t, r, Yield))
		}
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		_ = r.Close(ended)
		if _, err := r.Go(func() {}); !errors.Is(err, ErrRuntimeClosed) {
			t.Errorf("a closed runtime starts a thread: %v", err)
		}
		for th := range r.Threads() {
			if th != Current() {
				t.Errorf("thread %d is listed, which was refused: %v", th.ID(), th.State())
			}
		}
	}))
}

// TestUnparkOfAThreadThatASimulationHasEnded: its word still says that it waits.
func TestUnparkOfAThreadThatASimulationHasEnded(t *testing.T) {
	watch(t)
	for seed := range uint64(40) {
		begun, ended := 0, 0
		_ = Simulate(seed, func() {
			for _, wait := range []func(){Park, func() { ParkTimeout(time.Hour) }} {
				th := begin(wait)
				begin(func() {
					defer func() {
						begun++
						th.Unpark()
						ended++
					}()
					Sleep(9 * time.Hour)
				})
			}
			for range 50 {
				Yield()
			}
			panic("the end")
		})
		if begun != ended {
			t.Fatalf("seed %d: of %d deferred calls %d have come to their end", seed, begun, ended)
		}
	}
}

// begin starts fn as a thread of the caller's runtime.
func begin(fn func()) *Thread {
	th, err := Current().task.rt.Go(fn)
	if err != nil {
		panic(err)
	}
	return th
}
