package runtime

import (
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
)

// A log is a hook that keeps what it is told.
type log struct {
	mu     sync.Mutex
	events []Event
}

func (l *log) hook(e Event) {
	l.mu.Lock() // short: nothing is done while it is held
	l.events = append(l.events, e)
	l.mu.Unlock()
}

func (l *log) count(kind EventKind) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.events {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

func TestHookIsToldWhatHappens(t *testing.T) {
	watch(t)
	var l log
	r, err := New(Config{Carriers: 1, Hook: l.hook})
	if err != nil {
		t.Fatal(err)
	}
	var second *Thread
	first := start(t, r, func() {
		second = start(t, r, func() { Park() })
		Yield()
		second.Unpark()
		Sleep(time.Millisecond)
	})
	join(t, first)
	join(t, second)
	join(t, start(t, r, func() { runtime.Goexit() }))
	closeSoon(t, r)
	for deadline := time.Now().Add(5 * time.Second); l.count(CarrierStop) < 1 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	of := func(th *Thread) (kinds []EventKind) {
		for _, e := range l.events {
			if e.Thread == th {
				kinds = append(kinds, e.Kind)
				if e.Carrier < 0 && e.Kind != ThreadReady || (e.Reason != NotWaiting) != (e.Kind == ThreadPark) {
					t.Errorf("%v: carrier %d, %v", e.Kind, e.Carrier, e.Reason)
				}
			}
		}
		return kinds
	}
	once := []EventKind{ThreadStart, ThreadPark, ThreadReady, ThreadEnd}
	if got := of(first); !slices.Equal(got, once) {
		t.Errorf("the first: %v", got)
	}
	if got := of(second); !slices.Equal(got, once) {
		t.Errorf("the second: %v", got)
	}
	sum := map[EventKind]int{}
	for _, e := range l.events {
		sum[e.Kind]++
	}
	if sum[CarrierStart] != sum[CarrierStop] || sum[CarrierStart] == 0 || sum[CarrierSleep] == 0 || sum[CarrierSleep] != sum[CarrierWake] {
		t.Errorf("%v", sum)
	}
	if sum[ThreadStart] != 3 || sum[ThreadEnd] != 3 {
		t.Errorf("%v", sum)
	}
	if s := ThreadReady.String() + ", " + EventKind(99).String(); s != "thread ready, unknown" {
		t.Error(s)
	}
}

func TestHookCostsNoAllocation(t *testing.T) {
	if raceEnabled || !backend().Native {
		t.Skip("only the native backend without the race detector allocates nothing")
	}
	watch(t)
	n := 0
	for _, hook := range []func(Event){nil, func(Event) { n++ }} {
		r, err := New(Config{Carriers: 1, Hook: hook})
		if err != nil {
			t.Fatal(err)
		}
		join(t, start(t, r, func() {
			self := Current()
			stop := false
			other := start(t, r, func() {
				for !stop {
					self.Unpark()
					Park()
				}
			})
			Park()
			if a := testing.AllocsPerRun(100, func() { other.Unpark(); Park() }); a != 0 {
				t.Errorf("hook %v: %v allocations", hook != nil, a)
			}
			stop = true
			other.Unpark()
		}))
		closeSoon(t, r)
	}
	if n == 0 {
		t.Error("the hook was not called")
	}
}

func benchmarkHook(b *testing.B, hook func(Event)) {
	r, err := New(Config{Carriers: 1, Hook: hook})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close(b.Context())
	done := make(chan bool)
	r.Go(func() {
		self := Current()
		other, _ := r.Go(func() {
			for range b.N {
				Park()
				self.Unpark()
			}
		})
		for range b.N {
			other.Unpark()
			Park()
		}
		close(done)
	})
	<-done
}

// A round trip of two threads that wake each other.
func BenchmarkParkWithoutHook(b *testing.B) { benchmarkHook(b, nil) }
func BenchmarkParkWithHook(b *testing.B)    { benchmarkHook(b, func(Event) {}) }
